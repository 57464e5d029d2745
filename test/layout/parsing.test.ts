/**
 * What comes from outside is parsed, inflated and hashed in one place each, which an event loop gives to a thread when it is large (`workers/reading`,
 * `server/core/egress/reader.ts`, `server/core/http/request/parse-body.ts`). Everything else that parses is named here, with what makes it harmless.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..')
/** The command line has an event loop of its own, and those of browsers are none of ours. */
const LEFT_OUT = ['server/cli/', 'server/docs/browser/', 'server/playground/page/']

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
  'server/core/http/response/answer-check.ts': 'answers of this service, in tests',
  'server/features/assistant/check-answer.ts': 'answers of threads',
  'server/features/assistant/generate.ts': 'answers of threads',
  'server/features/connections/git-checks/routes.ts': OWN,
  'server/features/connections/integrations/credentials.ts': OWN,
  'server/features/connections/integrations/messaging.ts': OWN,
  'server/features/replays/corpora/import.ts': OWN,
  'server/features/replays/runs/run.ts': 'short lines that a thread has written, one by one',
  'server/features/replays/runs/service.ts': OWN,
  'server/features/scim/scim/user-present.ts': OWN,
  'server/features/scim/scim/users.ts': OWN,
  'server/content/case-strength/service.ts': OWN,
  'server/content/templates/catalog.ts': OWN,
  'server/features/webhooks/present.ts': OWN,
  'server/features/scim/protocol/filter/parse.ts': 'a literal of a filter, whose length is limited',
  'server/core/storage/backup.ts': OWN,
  'server/core/storage/embedded/collection.ts': OWN,
  'server/core/storage/embedded/selection.ts': OWN,
  'server/core/storage/embedded/writes.ts': OWN,
  'server/core/version.ts': OWN,
}

/** Files that call functions which parse bytes where they are called. */
const READS: Readonly<Record<string, string>> = {
  'workers/reading/read.ts': THREAD,
  'workers/requests/read-request.ts': 'bodies of analyses, which `AnalysisService` gives to threads when they are large',
  'server/core/http/request/parse-body.ts': 'up to `SMALL_JSON_BYTES`',
  'server/core/egress/reader.ts': 'up to `SMALL_JSON_BYTES`',
  'server/core/egress/answers.ts': 'up to `ERROR_BYTES`',
  'server/features/sso/oidc/transport.ts': 'up to `SMALL_JSON_BYTES`, the limit of its answers',
  'server/features/billing/gateways/stripe.ts': 'up to `SMALL_JSON_BYTES`',
  'server/features/assistant/proposed-cases.ts': 'text of a model, which has at most 64 K characters',
}

/** Files that inflate at once. */
const INFLATES: Readonly<Record<string, string>> = { 'workers/git/pack.ts': THREAD }

const SYNCHRONOUS = /^(?:inflate|inflateRaw|gunzip|unzip|deflate|deflateRaw|gzip|brotliDecompress|brotliCompress)Sync$/

type Kind = 'parses' | 'reads' | 'inflates' | 'responses'

const SOURCES = ['server', 'workers'].flatMap((top) =>
  readdirSync(join(ROOT, top), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.c?ts$/.test(entry.name))
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
