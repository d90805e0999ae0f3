"""Writes large programs: `large.py chain|ladder|phi N`."""
import sys


def chain(n):
    """n blocks, each dominated by the one before; the result is the argument plus n."""
    print("func $main(%x0: i32) -> i32 ssa {")
    for i in range(n):
        print(f"@b{i}:")
        print(f"  %x{i + 1} = add.i32 %x{i}, 1")
        print(f"  br @b{i + 1}" if i + 1 < n else f"  ret %x{n}")
    print("}")


def ladder(n):
    """n blocks that each may leave for the one exit: a phi of n arguments. The argument is never reached."""
    print("func $main(%a: i32) -> i32 ssa {")
    print("@b0:")
    print("  %x0 = mov %a")
    print("  br @b1")
    for i in range(1, n):
        print(f"@b{i}:")
        print(f"  %x{i} = add.i32 %x{i - 1}, 1")
        print(f"  %c{i} = cmp.eq.i32 %x{i}, %a")
        print(f"  br %c{i}, @exit, @b{i + 1}" if i + 1 < n else "  br @exit")
    print("@exit:")
    print("  %r = phi " + ", ".join(f"[@b{i}: %x{i}]" for i in range(1, n)))
    print("  ret %r")
    print("}")


def phi(n):
    """A switch of n cases that meet in a phi; the result is twice the argument."""
    print("func $main(%x: i32) -> i32 ssa {")
    print("@entry:")
    print("  switch.i32 %x, @other, " + ", ".join(f"[{i}: @case{i}]" for i in range(n)))
    for i in range(n):
        print(f"@case{i}:")
        print("  br @join")
    print("@other:")
    print("  ret -1")
    print("@join:")
    print("  %r = phi.i32 " + ", ".join(f"[@case{i}: {2 * i}]" for i in range(n)))
    print("  ret %r")
    print("}")


{"chain": chain, "ladder": ladder, "phi": phi}[sys.argv[1]](int(sys.argv[2]))
