-- Arithmetic: Mandelbrot's set, and the sums of divisors.
local inside = 0
for y = 0, 199 do
  for x = 0, 119 do
    local cr, ci, zr, zi = x / 40 - 2, y / 80 - 1.25, 0.0, 0.0
    local n = 0
    while n < 60 and zr * zr + zi * zi < 4 do
      zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
      n = n + 1
    end
    if n == 60 then inside = inside + 1 end
  end
end
local perfect = {}
for n = 2, 8000 do
  local sum = 1
  for d = 2, n // 2 do if n % d == 0 then sum = sum + d end end
  if sum == n then perfect[#perfect + 1] = n end
end
print(inside, table.concat(perfect, " "))
