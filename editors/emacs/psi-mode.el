;;; psi-mode.el --- Major modes for psic's programs and targets -*- lexical-binding: t -*-

;; Made by scripts/editors from psic's tables.

;;; Commentary:

;; (require 'psi-mode) is all that it takes: .psi files open in `psi-mode', and .target files that begin
;; like a description of a target in `psi-target-mode'.

;;; Code:

(defconst psi--opcodes
  '("add" "sub" "mul" "sdiv" "udiv" "srem" "urem" "and" "or" "xor" "shl" "lshr" "ashr" "smin"
    "smax" "umin" "umax" "sadd_sat" "uadd_sat" "ssub_sat" "usub_sat" "not" "neg" "abs" "ctpop"
    "ctlz" "cttz" "bswap" "bitreverse" "fshl" "fshr" "sadd_overflow" "uadd_overflow"
    "ssub_overflow" "usub_overflow" "smul_overflow" "umul_overflow" "fadd" "fsub" "fmul"
    "fdiv" "frem" "fmin" "fmax" "copysign" "fneg" "fabs" "sqrt" "floor" "ceil" "ftrunc" "rint"
    "round" "fma" "cmp" "cmpp" "trunc" "zext" "sext" "fptrunc" "fpext" "fptosi" "fptoui"
    "sitofp" "uitofp" "bitcast" "ptrtoint" "inttoptr" "mov" "freeze" "select" "phi" "psi"
    "slot" "ptradd" "ptrindex" "load" "store" "memcpy" "memmove" "memset" "va_start" "va_arg"
    "va_copy" "va_end"))
(defconst psi--controls
  '("call" "br" "switch" "ret" "unreachable"))
(defconst psi--types
  '("i1" "i8" "i16" "i32" "i64" "f32" "f64" "ptr"))
(defconst psi--conditions
  '("eq" "ne" "lt" "le" "gt" "ge" "ult" "ule" "ugt" "uge" "oeq" "one" "olt" "ole" "ogt" "oge"
    "ord" "ueq" "une" "uno" "un" "uc" "on" "oc" "an" "ac" "cn" "cc"))
(defconst psi--flags
  '("volatile" "deref" "fast"))
(defconst psi--forms
  '("plain" "ssa" "conventional" "allocated"))
(defconst psi--literals
  '("undef" "true" "false" "null" "inf" "nan" "bits"))
(defconst psi--keywords
  '("func" "extern" "count" "if" "old" "align" "counts" "mispredicted" "line" "pointer"
    "global" "const" "size" "zero" "target" "readnone" "readonly" "noreturn" "nounwind"))
(defconst psi--sections
  '("predication" "issue" "latency" "branch" "registers" "immediate" "address"))

(defvar psi-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "\\" table)
    (dolist (char '(?% ?@ ?$ ?. ?_))
      (modify-syntax-entry char "_" table))
    table)
  "Syntax table of `psi-mode'.")

(defun psi--instruction (names face)
  "Colours of an instruction called one of NAMES in FACE, and of its suffixes."
  `(,(concat "\\_<" (regexp-opt names t) "\\(?:\\.[a-z0-9]+\\)*\\_>")
    (1 ,face)
    (,(concat "\\." (regexp-opt psi--types t) "\\>") (psi--suffixes) nil (1 font-lock-type-face))
    (,(concat "\\." (regexp-opt (append psi--conditions psi--flags) t) "\\>")
     (psi--suffixes) nil (1 font-lock-preprocessor-face))))

(defun psi--suffixes ()
  "Go to the first suffix of the instruction that was found; where to stop."
  (goto-char (match-end 1))
  (1+ (match-end 0)))  ; a limit must lie ahead, even without suffixes

(defconst psi-font-lock-keywords
  `(("%\\(?:[A-Za-z0-9_.]+\\|\"\\)" 0 font-lock-variable-name-face keep)
    ("@\\(?:[A-Za-z0-9_.]+\\|\"\\)" 0 font-lock-constant-face keep)
    ("\\$\\(?:[A-Za-z0-9_.]+\\|\"\\)" 0 font-lock-function-name-face keep)
    ,(psi--instruction psi--opcodes 'font-lock-builtin-face)
    ,(psi--instruction psi--controls 'font-lock-keyword-face)
    (,(regexp-opt psi--types 'symbols) . font-lock-type-face)
    (,(regexp-opt (append psi--keywords psi--forms) 'symbols) . font-lock-keyword-face)
    (,(regexp-opt psi--literals 'symbols) . font-lock-constant-face))
  "What `psi-mode' colours.")

;;;###autoload
(define-derived-mode psi-mode prog-mode "psi"
  "Major mode for programs in psic's textual form."
  (setq-local comment-start "# ")
  (setq-local comment-start-skip "#+ *")
  (setq-local indent-line-function #'indent-relative)
  (setq-local font-lock-defaults '(psi-font-lock-keywords)))

(defconst psi-target-font-lock-keywords
  `((,(concat "^\\s-*\\[" (regexp-opt psi--sections t) "\\]") 1 font-lock-keyword-face)
    ("^\\s-*\\([a-z-]+\\)" 1 font-lock-variable-name-face))
  "What `psi-target-mode' colours.")

;;;###autoload
(define-derived-mode psi-target-mode prog-mode "psi target"
  "Major mode for descriptions of targets."
  :syntax-table psi-mode-syntax-table
  (setq-local comment-start "# ")
  (setq-local comment-start-skip "#+ *")
  (setq-local font-lock-defaults '(psi-target-font-lock-keywords)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.psi\\'" . psi-mode))
;;;###autoload
(add-to-list 'magic-mode-alist '("\\(?:\\s-*#.*\n\\|\\s-*\n\\)*machine\\s-" . psi-target-mode))

(provide 'psi-mode)
;;; psi-mode.el ends here
