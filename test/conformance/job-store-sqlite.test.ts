import { SqliteJobStore } from '../../src/jobs/sqlite-job-store.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { describeJobStore } from './job-store-suite.ts';

describeJobStore('sqlite', () => {
  const database = openDatabase(':memory:');
  return { store: new SqliteJobStore(database), close: () => database.close() };
});
