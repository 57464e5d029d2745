/** Errors of a store, in English. */
export const store = {
  unavailable: 'the database does not respond',
  full: 'no space left for the database',
  duplicate: 'duplicate {fields} in {collection}',
  stale: 'write {index} of a commit matches nothing in {collection}',
  too_large: 'document too large for {collection}',
  newer_format: '{directory} has format {version}; this version reads up to {known}',
  damaged: "{file} can't be used as a store: {reason}",
  lmdb_store:
    '{directory} contains a store of version 0.1, which this version cannot read: start version 0.2 on it once, which copies it (it needs the package lmdb), then this version',
  newer_migration: "the database has migration {migration}, which this version doesn't know",
  user_refused: 'MongoDB refuses the user of its URL: {reason}',
  url_refused: "the MongoDB URL can't be used: {reason}",
  standalone_refused:
    'this MongoDB is a standalone, which has no transactions: start mongod with --replSet rs0 and run rs.initiate() in mongosh once, to turn it into a replica set of one node',
  unfinished_commits: 'the collection {collection} has an unfinished commit of version 0.1: start that version once on this MongoDB, which finishes it, then this version',
} as const satisfies Record<string, string>
