;; What a user does with a table and a program in Emacs, in batch: what is seen is printed, a Lisp form a line.
;; Flymake looks at a buffer when Emacs is idle, which it never is in batch: the reports are counted instead.
(require 'eglot)

(defvar told nil "The codes of the last diagnostics of each file.")

(cl-defmethod eglot-handle-notification :before
  (_server (_method (eql textDocument/publishDiagnostics)) &key uri diagnostics &allow-other-keys)
  (setf (alist-get (file-name-nondirectory (url-unhex-string uri)) told nil nil #'equal)
        (mapcar (lambda (one) (plist-get one :code)) diagnostics)))

(defun codes (name) (alist-get name told nil nil #'equal))

(defun wait (what done)
  (let ((ends (+ (float-time) 20)))
    (while (not (funcall done))
      (when (> (float-time) ends)
        (message "silent: %s" what)
        (kill-emacs 1))
      (accept-process-output nil 0.02))))

(defun begin (name)
  (find-file (expand-file-name name (getenv "RINGPROOF_FOLDER")))
  (unless (eglot-managed-p)
    (call-interactively #'eglot))
  (wait name (lambda () (codes name)))
  (message "%S" (list major-mode (codes name))))

(defun hovered ()
  (let ((found (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
    (or (plist-get (plist-get found :contents) :value) "")))

(begin "ring.toml")
(search-forward "(r - s + 1)")
(let ((actions (eglot-code-actions (line-beginning-position) nil "quickfix" nil)))
  (message "%S" (mapcar (lambda (action) (plist-get action :title)) actions))
  (eglot-execute (eglot-current-server) (aref (vconcat actions) 0)))
(goto-char (point-min))
(insert "# 𝔫\u2028é\u0085\n")
(eglot--signal-textDocument/didChange)
(goto-char (point-min))
(wait "the proof" (lambda () (string-prefix-p "proved" (hovered))))
(message "%S" (codes "ring.toml"))
(set-buffer-modified-p nil)
(begin "program.xml")
(kill-emacs 0)
