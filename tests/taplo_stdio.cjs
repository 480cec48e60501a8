// taplo's language server over standard input and output: node taplo_stdio.cjs FOLDER-OF-@taplo/lsp
// The npm package is the server that Even Better TOML runs, but it speaks in messages, not in bytes.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { fileURLToPath } = require("node:url");

const noNetwork = async () => {
  throw new Error("there is no network in a test");
};
globalThis.fetch = noNetwork; // else it asks for a catalogue of schemas

const complain = (error) => process.stderr.write(`${(error && error.stack) || error}\n`);
process.on("uncaughtException", complain); // a request that panics is left unanswered
process.on("unhandledRejection", complain);

const environment = {
  now: () => new Date(),
  envVar: (name) => process.env[name],
  envVars: () => Object.entries(process.env),
  stdErrAtty: () => false,
  stdin: process.stdin,
  stdout: process.stderr,
  stderr: process.stderr,
  glob: () => [],
  readFile: (file) => fs.promises.readFile(file),
  writeFile: (file, bytes) => fs.promises.writeFile(file, bytes),
  urlToFilePath: (url) => (url.startsWith("file:") ? fileURLToPath(url) : ""),
  isAbsolute: (file) => path.isAbsolute(file),
  cwd: () => process.cwd(),
  findConfigFile: () => undefined,
  fetch: { fetch: noNetwork, Headers, Request, Response },
};

// What it says may hold maps, which JSON would leave empty.
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  const pairs = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(pairs.map(([key, inner]) => [key, plain(inner)]));
}

function write(told) {
  let message = plain(told);
  if (message.id !== undefined && message.method === undefined && message.error === undefined) {
    message = { ...message, result: message.result ?? null }; // what is undefined is lost in JSON
  }
  const body = Buffer.from(JSON.stringify(message));
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
  process.stdout.write(body);
}

async function main() {
  const { TaploLsp } = require(path.resolve(process.argv[2]));
  const server = await TaploLsp.initialize(environment, { onMessage: write });
  let read = Buffer.alloc(0);
  process.stdin.on("end", () => process.exit(0));
  process.stdin.on("data", (piece) => {
    read = Buffer.concat([read, piece]);
    for (;;) {
      const head = read.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(read.subarray(0, head).toString())[1]);
      if (read.length < head + 4 + length) return;
      const message = JSON.parse(read.subarray(head + 4, head + 4 + length).toString());
      read = read.subarray(head + 4 + length);
      try {
        server.send(message);
      } catch (error) {
        complain(error);
      }
    }
  });
}

main();
