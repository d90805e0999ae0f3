# An SQL script in memory, the same in a file, and the file read again.
shell :memory: < "$HERE/script.sql"
shell file.db < "$HERE/script.sql" > first
echo "SELECT count(*), sum(length(name)) FROM person; PRAGMA integrity_check;" | shell file.db
