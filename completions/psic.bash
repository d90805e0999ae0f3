# bash completion for psic and psicc. psic answers, from the tables that it parses with.
_psic() {
  local program=${1##*/} psic=${1/#\~\//$HOME/} line=${COMP_LINE:0:COMP_POINT} answer file
  [[ $program == psicc ]] && psic=${psic%c}
  mapfile -t answer < <("$psic" complete bash "$program" "$COMP_TYPE" "$line" "$2" 2>/dev/null)
  if [[ ${answer[0]} != files* ]]; then
    COMPREPLY=("${answer[@]:1}")
    return
  fi
  # Where none fits, readline completes any file.
  compopt +o nospace -o filenames
  COMPREPLY=()
  while IFS= read -r file; do
    if [[ ${answer[0]} == files || -d $file || " ${answer[0]} " == *" ${file##*.} "* ]]; then
      COMPREPLY+=("$file")
    fi
  done < <(compgen -f -- "$2")
}
complete -o bashdefault -o default -o nospace -F _psic psic psicc
