/**
 * A process that writes rows to a database without end, with a checkpoint every few dozen, and prints the
 * number of rows ever written after each commit. It is there to be killed.
 *
 * Usage: node log-writer.ts DATABASE
 */
import { openDatabase } from '../../src/storage/database.ts';
import { GroupCommit } from '../../src/storage/group-commit.ts';

const database = openDatabase(process.argv[2] ?? '');
database.exec(
  'CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY AUTOINCREMENT, content BLOB NOT NULL) STRICT',
);
const insert = database.prepare('INSERT INTO rows (content) VALUES (zeroblob(100000))');
const count = database.prepare('SELECT count(*) AS n FROM rows');
const writer = GroupCommit.of(database);
for (;;) {
  const { lastInsertRowid } = await writer.write(() => {
    if (Number(count.get()?.['n']) > 200) database.exec('DELETE FROM rows');
    return insert.run();
  });
  process.stdout.write(`${lastInsertRowid}\n`);
}
