// psic.wasm and the playground, with Debian's packages. The first build takes minutes.
import {execFileSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {argument, finish, root, skip} from './harness.mjs';

const build = argument('build');
for (const file
         of ['/usr/bin/clang++-19', '/usr/bin/wasm-ld-19', '/usr/lib/wasm32-wasi/libc.a',
             '/usr/lib/wasm32-wasi/libc++.a'])
  if (!existsSync(file)) skip(`there is no ${file}`);
const run = (...args) => execFileSync('cmake', args, {cwd: root, stdio: 'inherit'});
if (!existsSync(join(build, 'build.ninja'))) {
  run('-S', root, '-B', build, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Release', '-DCMAKE_UNITY_BUILD=ON',
      '-DCMAKE_UNITY_BUILD_BATCH_SIZE=16', `-DCMAKE_TOOLCHAIN_FILE=${root}/explorer/wasm/toolchain.cmake`);
}
run('--build', build, '--target', 'playground');
finish('psic.wasm is built');
