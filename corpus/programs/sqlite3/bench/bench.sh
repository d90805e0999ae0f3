exec shell :memory: < "$1"
