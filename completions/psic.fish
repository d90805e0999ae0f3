# fish completion for psic and psicc. psic answers, from the tables that it parses with.
function __psic_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l program (basename $words[1])
    set -l psic $words[1]
    test $program = psicc; and set psic (string replace -r 'c$' '' -- $psic)
    set -l answer (eval $psic complete fish $program (string escape -- $words[2..-1] "$word") 2>/dev/null)
    if string match -q 'files*' -- $answer[1]
        set -l parts (string match -r '^((?:-[^=]*=)?)(.*)$' -- $word)
        for path in (__fish_complete_path $parts[3])
            echo $parts[2]$path
        end
    else
        printf '%s\n' $answer[2..-1]
    end
end
complete -c psic -f -a '(__psic_complete)'
complete -c psicc -f -a '(__psic_complete)'
