// The page of `psic explore`: the data stand in it.
import {start} from './start';

start(document.getElementById('data')?.textContent ?? '');
