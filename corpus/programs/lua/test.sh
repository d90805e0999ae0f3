# Scripts of our own, each also compiled to bytecode first, and messages for scripts that are wrong.
for script in "$HERE"/*.lua; do
  name=$(basename "$script" .lua)
  echo "=== $name"
  cp "$script" .
  lua "$name.lua" argument "another one"
  luac -o "$name.luac" "$name.lua"
  lua "$name.luac" argument "another one" | cksum
  luac -l -l -p "$name.lua" | sed 's/0x[0-9a-f]*//g'
done
lua -e 'local x = = 1' || echo "status $?"
lua -e 'error({code = 2})' || echo "status $?"
lua -e 'local t; t.field = 1' || echo "status $?"
lua -v
