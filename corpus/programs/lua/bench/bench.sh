exec lua "$1"
