/**
 * Cuts the operations that the fake of GitHub has out of GitHub's description of its API, which has 13 MB in a package of 385 MB:
 *
 *     npm install --no-save @octokit/openapi
 *     npm run build
 *     node dist/test/support/git/cut-github-description.js            # writes github-description.json
 *     node dist/test/support/git/cut-github-description.js compare    # exit code 1 if that file is another
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { DESCRIPTION_FILE, ERROR_SCHEMAS } from './github-description.js'
import { ROUTES } from './github-fake.js'

type Json = Readonly<Record<string, unknown>>

const PACKAGE = '@octokit/openapi'
/** What nothing is checked against. Their examples are those of answers, beside the schema. */
const LEFT_OUT: ReadonlySet<string> = new Set(['description', 'summary', 'title', 'example', 'externalDocs', 'tags', 'x-github', 'discriminator'])
const JSON_TYPE = 'application/json'
/** Members whose value is not described but given. */
const VERBATIM: ReadonlySet<string> = new Set(['enum', 'required', 'default'])

/** Returns the description of these operations as a text: a line for each operation and each component. @param operations `GET /repos/{owner}/{repo}` */
export function cutDescription(whole: Json, operations: readonly string[]): string {
  const references: string[] = ERROR_SCHEMAS.map(({ $ref }) => $ref)
  const example = (node: Json): Json => {
    if (typeof node.$ref !== 'string') return node
    references.push(node.$ref)
    return { $ref: node.$ref }
  }
  const cut = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(cut)
    if (typeof node !== 'object' || node === null) return node
    const { $ref } = node as Json
    if (typeof $ref === 'string') {
      references.push($ref)
      return { $ref }
    }
    return Object.fromEntries(
      Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
        if (key === 'properties') return [[key, Object.fromEntries(Object.entries(value as Json).map(([name, each]) => [name, cut(each)]))]]
        // Only bodies in JSON are sent and read.
        if (key === 'content') return JSON_TYPE in (value as Json) ? [[key, { [JSON_TYPE]: cut((value as Json)[JSON_TYPE]) }]] : []
        if (VERBATIM.has(key)) return [[key, value]]
        // Those of answers are objects of examples, those of schemas are lists of values.
        if (key === 'examples') return Array.isArray(value) ? [] : [[key, Object.fromEntries(Object.entries(value as Json).map(([name, each]) => [name, example(each as Json)]))]]
        return LEFT_OUT.has(key) ? [] : [[key, cut(value)]]
      }),
    )
  }
  const paths = new Map<string, Record<string, unknown>>()
  for (const operation of [...operations].sort()) {
    const [method, path] = operation.split(' ')
    const found = (whole.paths as Json)[path] as Json | undefined
    const described = found?.[method.toLowerCase()] as Json | undefined
    if (described === undefined) throw new Error(`GitHub has no ${operation}`)
    const { operationId, parameters = [], requestBody, responses } = described
    paths.set(path, { ...paths.get(path), [method.toLowerCase()]: cut({ operationId, parameters, ...(requestBody === undefined ? {} : { requestBody }), responses }) })
  }
  const components = new Map<string, Map<string, unknown>>()
  for (let next = references.pop(); next !== undefined; next = references.pop()) {
    const [, , kind, name] = next.split('/')
    const known = components.get(kind) ?? new Map<string, unknown>()
    components.set(kind, known)
    if (known.has(name)) continue
    const component = ((whole.components as Json)[kind] as Json)[name]
    known.set(name, kind === 'examples' ? component : null)
    if (kind !== 'examples') known.set(name, cut(component))
  }
  const { title, version, license } = whole.info as Json
  return linesOf({
    info: { title, version, license },
    paths: inOrder(paths),
    components: inOrder(new Map([...components].map(([kind, known]) => [kind, inOrder(known)]))),
  })
}

function inOrder(map: ReadonlyMap<string, unknown>): Json {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** JSON with a line for each path and component, so that changes are readable. */
function linesOf({ info, paths, components }: { readonly info: Json; readonly paths: Json; readonly components: Json }): string {
  const lines = (members: Json, text = (value: unknown): string => JSON.stringify(value)): string =>
    `{\n${Object.entries(members)
      .map(([name, value]) => `${JSON.stringify(name)}:${text(value)}`)
      .join(',\n')}\n}`
  return `{"info":${JSON.stringify(info)},\n"paths":${lines(paths)},\n"components":${lines(components, (kind) => lines(kind as Json))}}\n`
}

/** The description of the package; null: it is not installed. */
export function readPackage(): Json | null {
  try {
    return JSON.parse(readFileSync(createRequire(import.meta.url).resolve(`${PACKAGE}/generated/api.github.com.json`), 'utf8')) as Json
  } catch {
    return null
  }
}

export const usedOperations = (): readonly string[] => Object.keys(ROUTES)

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const whole = readPackage()
  if (whole === null) {
    console.error(`cut-github-description: ${PACKAGE} is not installed. Run: npm install --no-save ${PACKAGE}`)
    process.exitCode = 2
  } else {
    const text = cutDescription(whole, usedOperations())
    const isSame = existsSync(DESCRIPTION_FILE) && readFileSync(DESCRIPTION_FILE, 'utf8') === text
    if (process.argv[2] !== 'compare') writeFileSync(DESCRIPTION_FILE, text)
    console.log(`${DESCRIPTION_FILE}: ${isSame ? 'the same' : 'other'}, ${text.length} characters`)
    if (process.argv[2] === 'compare' && !isSame) process.exitCode = 1
  }
}
