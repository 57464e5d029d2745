/**
 * Which test files share a process. Starting Node, loading the modules and starting a pool of threads costs most files more than their tests, so each
 * process runs many files, each as a suite of its own name. A file belongs to the group with the longest path that it begins with.
 */
import { readdirSync } from 'node:fs'

export interface Group {
  readonly name: string
  /** Beginnings of paths below `test/`. */
  readonly paths: readonly string[]
  /** How many processes share the files. Default: one. */
  readonly processes?: number
  /** Runs the files of that group once more, on a MongoDB, without those that no store has anything to do with. */
  readonly onMongodb?: { readonly group: string; readonly except: ReadonlySet<string> }
}

/**
 * Files of `api` about analysis, documents, browsers, what other servers send, and what every route has to refuse, hide or record. What they store on the way,
 * as sign-ins, pages and quotas do, others of the group store too.
 */
const WITHOUT_STORE = [
  'analysis',
  'analysis-batch',
  'analysis-faults',
  'analysis-lists',
  'analysis-shared-answers',
  'audit-routes',
  'git-round-trip',
  'matrix',
  'no-identity-secrets',
  'no-secrets',
  'openapi',
  'pages-in-browser',
  'reference-page',
  'report-page',
  'sso-in-browser',
  'sso-provider-faults',
  'sso-token-attacks',
  'templates',
]

/** What takes longest comes first, so that no core is idle at the end. */
export const GROUPS: readonly Group[] = [
  {
    name: 'api-on-mongodb',
    paths: [],
    processes: 4,
    onMongodb: {
      group: 'api',
      except: new Set(WITHOUT_STORE.map((file) => `api/${file}`)),
    },
  },
  { name: 'faults', paths: ['server/faults', 'server/cli/backup', 'server/storage', 'server/jobs'], processes: 2 },
  { name: 'commands', paths: ['server/cli', 'server/main', 'documents', 'package', 'docker'], processes: 2 },
  { name: 'server', paths: ['server'], processes: 3 },
  { name: 'parity', paths: ['parity'] },
  { name: 'workers', paths: ['workers'] },
  { name: 'api', paths: ['api'], processes: 6 },
  { name: 'engine', paths: ['engine'], processes: 3 },
  { name: 'layout', paths: ['layout'] },
]

/** The sources: what an earlier build left in `dist` is not run. */
const TESTS = new URL('../../test/', import.meta.url)

/** Every test file, by its path below `test/`, without `.test.js`. */
export function testFiles(): string[] {
  return readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => path.slice(0, -'.test.ts'.length).replaceAll('\\', '/'))
    .sort()
}

/** @throws when no group has the file */
export function groupOf(file: string): Group {
  const [found] = GROUPS.flatMap((group) => group.paths.filter((path) => file === path || file.startsWith(`${path}/`)).map((path) => ({ group, path }))).sort(
    (a, b) => b.path.length - a.path.length,
  )
  if (found === undefined) throw new Error(`no group of test/groups.ts has test/${file}.test.ts`)
  return found.group
}

/** The files that a process of a group runs. @param number of the process, from 1 */
export function filesOf({ name, processes = 1, onMongodb }: Group, number: number): string[] {
  return testFiles()
    .filter((file) => groupOf(file).name === (onMongodb?.group ?? name) && onMongodb?.except.has(file) !== true)
    .filter((_, index) => index % processes === number - 1)
}
