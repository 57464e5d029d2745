/**
 * Which test files share a process. Starting Node, loading the modules and starting a pool of threads costs most files more than their tests, so each
 * process runs many files, each as a suite of its own name. A file belongs to the group with the longest path that it begins with.
 */
import { readdirSync } from 'node:fs'
import { runs } from './support/runs.js'

export interface Group {
  readonly name: string
  /** Beginnings of paths below `test/`. */
  readonly paths: readonly string[]
  /** How many processes share the files. Default: one. */
  readonly processes?: number
  /** Runs files of that group once more, on a MongoDB. Null: all of them. */
  readonly onMongodb?: { readonly group: string; readonly only: ReadonlySet<string> | null }
  /** Runs files of that group once more, with two services behind each address (`support/door.ts`). */
  readonly inTwo?: { readonly group: string; readonly only: ReadonlySet<string> }
}

/** Files of `api` that run with two services behind one address: each changes what caches of a process keep. `FULL=1` runs all but those below. */
const IN_TWO = ['billing', 'identity-providers', 'members', 'scim-tokens']

/** Files of `api` that say what one process does, with the reason why two services behind one address are another thing. */
const IN_ONE = {
  assistant: 'each process has an index of the knowledge base, and plans that are set in the store are noticed within a second',
  'cases-run': 'reads usage right after a run; a process writes what it has counted within a second',
  'git-floods': 'counts the imports of one job runner',
  metrics: 'reads the metrics of one process',
  notifications: 'stops the service under open streams',
  'own-sessions': 'changes sessions in the store, without telling the service',
  pages: 'makes the store of one service fail',
  'platform-overview': 'counts instances, and reads counts that a process keeps for some seconds',
  'stopped-content': 'counts attempts at content that takes too long, of which each process makes one',
} as const

/**
 * Files of `api` that run on MongoDB as well, so that each collection is written, queried, sorted and paged there as the service does it. Tests of concurrent
 * requests and of several instances run on all stores by themselves (`ALL_STORES`), and `server/core/storage` holds both stores to one contract. The other files ask
 * nothing of a store that these do not, and run on MongoDB with `FULL=1`. Each is named with what it is here for. Commands of MongoDB were compared by collection,
 * fields, operators and order: each of these files sends some that no other does. `story` and `over-limit` do not: theirs are those of `versions`, `reviews`, `cases` and
 * others, and what their tests themselves write.
 */
const ON_MONGODB = {
  archive: 'deletions of everything that a project has, in one commit',
  audit: 'filters by time, actor and resource, and pages from behind an event',
  billing: 'subscriptions, events of the gateway, reconciliations',
  cases: 'pages, searches and changes of cases',
  'cases-run': 'runs of cases',
  corpora: 'parts of corpora by offset, their quotas of bytes, and their end',
  domains: 'domains and their proofs, unique over all organizations',
  feedback: 'reports with attachments in one commit, quotas of bytes',
  'git-bindings': 'bindings and their runs',
  'git-checks': 'checks of pull requests and their reports',
  'git-floods': 'deliveries that wait, and are counted and dropped',
  'git-indexes': 'plans of the queries about Git',
  'git-publish-review': 'publications and the bases of reviews',
  'list-indexes': 'plans of the queries of lists',
  messaging: 'the outbox and deliveries to chats',
  'mock-billing': 'subscriptions of the mock',
  notifications: 'notices of people: unread counts, marks of many, expiry',
  overview: 'counts by project',
  'pipeline-runs': 'runs that several instances follow',
  'platform-admin': 'reads over all organizations',
  'project-members': 'members of projects, and what they see of lists',
  projects: 'searches, orders and pages of projects, cascading deletes',
  replays: 'replays with their job, their result and their end',
  reviews: 'reviews, comments and decisions in one commit with their workspace',
  'scim-indexes': 'plans of the queries of SCIM',
  'scim-protocol': 'filters of SCIM as queries',
  'secret-key': 'sealed secrets of all collections',
  'sso-account-attacks': 'linked identities and states of logins',
  versions: 'versions, their content and the one that is active',
  'webhook-deliveries': 'claims, retries and expiry of deliveries',
} as const

/** The sources: what an earlier build left in `dist` is not run. */
const TESTS = new URL('../../test/', import.meta.url)

/** The group whose processes take longest from start to end comes first, so that no core is idle at the end. A process takes two to four seconds of processor time before its first test, so there are few. */
export const GROUPS: readonly Group[] = [
  { name: 'api', paths: ['api'], processes: 3 },
  { name: 'server', paths: ['server'], processes: 2 },
  { name: 'commands', paths: ['server/cli', 'server/main', 'documents', 'package', 'docker'], processes: 2 },
  // All that use the real forge, which is started once a process.
  { name: 'git', paths: ['server/features/connections/gateways/git', 'server/faults/git-crash', 'server/faults/git-forge-faults'] },
  {
    name: 'api-on-mongodb',
    paths: [],
    processes: runs(1, 4),
    onMongodb: {
      group: 'api',
      only: runs(new Set(Object.keys(ON_MONGODB).map((file) => `api/${file}`)), null),
    },
  },
  { name: 'faults', paths: ['server/faults', 'server/cli/backup', 'server/core/storage', 'server/core/jobs'], processes: 2 },
  { name: 'parity', paths: ['parity'] },
  { name: 'workers', paths: ['workers'] },
  { name: 'engine', paths: ['engine'], processes: 2 },
  { name: 'api-in-two', paths: [], processes: runs(1, 4), inTwo: { group: 'api', only: inTwo() } },
  { name: 'layout', paths: ['layout'] },
]

/** Every test file, by its path below `test/`, without `.test.js`. */
export function testFiles(): string[] {
  return readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => path.slice(0, -'.test.ts'.length).replaceAll('\\', '/'))
    .sort()
}

function inTwo(): ReadonlySet<string> {
  const all = testFiles().filter((file) => file.startsWith('api/') && !Object.hasOwn(IN_ONE, file.slice('api/'.length)))
  return runs(new Set(IN_TWO.map((file) => `api/${file}`)), new Set(all))
}

/** @throws when no group has the file */
export function groupOf(file: string): Group {
  const [found] = GROUPS.flatMap((group) => group.paths.filter((path) => file === path || file.startsWith(`${path}/`)).map((path) => ({ group, path }))).sort(
    (a, b) => b.path.length - a.path.length,
  )
  if (found === undefined) throw new Error(`no group of test/groups.ts has test/${file}.test.ts`)
  return found.group
}

/** The files that a process of a group runs. @param number of the process, from 1 @throws when a file that is to run on MongoDB is not there */
export function filesOf({ name, processes = 1, onMongodb, inTwo }: Group, number: number): string[] {
  const files = testFiles()
  const again = onMongodb ?? inTwo
  for (const file of again?.only ?? []) if (!files.includes(file)) throw new Error(`there is no test/${file}.test.ts`)
  return files.filter((file) => groupOf(file).name === (again?.group ?? name) && (again?.only ?? null)?.has(file) !== false).filter((_, index) => index % processes === number - 1)
}
