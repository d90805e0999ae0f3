// npm's packages for the explorer and its tests, as package-lock.json has them. They are installed once.
import {execFileSync} from 'node:child_process';
import {existsSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const folder = join(dirname(fileURLToPath(import.meta.url)), '..');
const installed = join(folder, 'node_modules/.package-lock.json'), wanted = join(folder, 'package-lock.json');
if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) process.exit(0);
try {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {cwd: folder, stdio: 'inherit'});
} catch {
  console.log('skipped: npm, or where it takes packages from, is not at hand');
  process.exit(77);
}
