/**
 * What comes from outside is parsed, inflated and hashed in one place each, which an event loop gives to a thread when it is large (`workers/reading`,
 * `server/gateways/reader.ts`, `server/http/request/parse-body.ts`). Everything else that parses is named here, with what makes it harmless.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..')
/** The command line has an event loop of its own, and the browser's script is none of ours. */
const LEFT_OUT = ['server/cli/', 'server/openapi/browser/']

const PLACE = 'the place: it measures before it parses'
const OWN = 'what this service has stored or written itself'
const THREAD = 'runs in threads only'

/** Files that call `JSON.parse`. */
const PARSES: Readonly<Record<string, string>> = {
  'workers/requests/validate-bytes.ts': PLACE,
  'workers/requests/read-line.ts': `${THREAD}, and measures long lines before`,
  'workers/shared/pieces.ts': 'pieces of what a thread has parsed',
  'workers/reading/read.ts': `${THREAD}: schemas of ours`,
  'workers/analysis-pool.ts': 'a line that a thread has read: it has texts alone',
  'workers/pool/pooled-thread.ts': 'messages of threads',
  'workers/thread/thread.ts': 'messages to threads',
  'workers/thread/ruleset-cache.ts': OWN,
  'workers/sessions/sessions.ts': OWN,
  'workers/thread/tasks/compare.ts': THREAD,
  'server/http/response/answer-check.ts': 'answers of this service, in tests',
  'server/resources/assistant/check-answer.ts': 'answers of threads',
  'server/resources/assistant/generate.ts': 'answers of threads',
  'server/resources/integrations/credentials.ts': OWN,
  'server/resources/integrations/messaging.ts': OWN,
  'server/resources/scim/user-present.ts': OWN,
  'server/resources/scim/users.ts': OWN,
  'server/resources/templates/catalog.ts': OWN,
  'server/resources/webhooks/present.ts': OWN,
  'server/scim/filter/parse.ts': 'a literal of a filter, whose length is limited',
  'server/storage/backup.ts': OWN,
  'server/storage/embedded/collection.ts': OWN,
  'server/storage/embedded/selection.ts': OWN,
  'server/storage/embedded/writes.ts': OWN,
  'server/version.ts': OWN,
}

/** Files that call functions which parse bytes where they are called. */
const READS: Readonly<Record<string, string>> = {
  'workers/reading/read.ts': THREAD,
  'workers/requests/read-request.ts': 'bodies of analyses, which `AnalysisService` gives to threads when they are large',
  'server/http/request/parse-body.ts': 'up to `SMALL_JSON_BYTES`',
  'server/gateways/reader.ts': 'up to `SMALL_JSON_BYTES`',
  'server/gateways/answers.ts': 'up to `ERROR_BYTES`',
  'server/gateways/oidc/transport.ts': 'up to `SMALL_JSON_BYTES`, the limit of its answers',
  'server/gateways/billing/stripe.ts': 'up to `SMALL_JSON_BYTES`',
  'server/resources/assistant/proposed-cases.ts': 'text of a model, which has at most 64 K characters',
}

/** Files that inflate at once. */
const INFLATES: Readonly<Record<string, string>> = { 'workers/git/pack.ts': THREAD }

const SYNCHRONOUS = /^(?:inflate|inflateRaw|gunzip|unzip|deflate|deflateRaw|gzip|brotliDecompress|brotliCompress)Sync$/

type Kind = 'parses' | 'reads' | 'inflates' | 'responses'

const SOURCES = ['server', 'workers'].flatMap((top) =>
  readdirSync(join(ROOT, top), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !LEFT_OUT.some((folder) => path.startsWith(folder))),
)

/** Files by what they call. A name that is taken out of `JSON` counts as a call. */
function callers(): Readonly<Record<Kind, ReadonlySet<string>>> {
  const found = { parses: new Set<string>(), reads: new Set<string>(), inflates: new Set<string>(), responses: new Set<string>() }
  for (const path of SOURCES) {
    const text = readFileSync(join(ROOT, path), 'utf8')
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node) && node.text === 'JSON' && !(ts.isPropertyAccessExpression(node.parent) && node.parent.name.text === 'stringify')) found.parses.add(path)
      if (ts.isCallExpression(node)) {
        const { expression: called } = node
        if (ts.isIdentifier(called) && (called.text === 'validateBytes' || called.text === 'pruneBytes')) found.reads.add(path)
        if (ts.isPropertyAccessExpression(called) && called.name.text === 'json' && node.arguments.length === 0) found.responses.add(path)
      }
      if (ts.isIdentifier(node) && SYNCHRONOUS.test(node.text)) found.inflates.add(path)
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  }
  return found
}

const FOUND = callers()

for (const [kind, title, allowed] of [
  ['parses', 'only named files parse JSON', PARSES],
  ['reads', 'only named files read bytes where they are called', READS],
  ['inflates', 'only named files inflate at once', INFLATES],
  ['responses', 'no file has the body of a response parsed', {}],
] as const) {
  test(title, () => assert.deepEqual([...FOUND[kind]].sort(), Object.keys(allowed).sort()))
}
