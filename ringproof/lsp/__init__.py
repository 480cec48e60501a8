"""A language server for tables: findings as you type, what a row sends, repairs that are proved."""
