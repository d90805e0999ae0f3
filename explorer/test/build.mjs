// The pages in explorer/dist are what explorer/src gives.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {check, finish, root, scratch, skip} from './harness.mjs';

const explorer = join(root, 'explorer');
const out = mkdtempSync(join(scratch(), 'dist-'));
try {
  await import('esbuild');
} catch {
  skip('explorer/node_modules is not there: npm ci in explorer/');
}
execFileSync('node', ['node_modules/typescript/bin/tsc', '-p', '.'], {cwd: explorer, stdio: 'inherit'});
execFileSync(
    'node', ['build.mjs'], {cwd: explorer, env: {...process.env, PSIC_EXPLORER_OUT: out}, stdio: 'inherit'});
for (const page of ['page.html', 'playground.html']) {
  const [built, kept] = [join(out, page), join(explorer, 'dist', page)].map(f => readFileSync(f, 'utf8'));
  check(built === kept, `explorer/dist/${page} is not what explorer/src gives: npm run build in explorer/`);
  check(built.length < 5e6, `${page} is too large`);
}
const lock = readFileSync(join(explorer, 'package-lock.json'), 'utf8');
check(!/"resolved"|registry\.|npmjs/.test(lock), 'package-lock.json names a registry');
const source = readdirSync(join(explorer, 'src'), {recursive: true})
                   .filter(f => /\.ts$/.test(f))
                   .filter(
                       f => /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/.test(
                           readFileSync(join(explorer, 'src', f), 'utf8')));
check(source.length === 0, `markup is made of text in ${source.join(' ')}`);
finish('the pages are what their sources give');
