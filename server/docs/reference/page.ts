/**
 * Renders the interface document as HTML pages: the first one with a first call and the operations of the analysis, one for each other tag, and one each for
 * headers, events and schemas. One page for everything would have two megabytes. The pages need no script; with `tryIt` they load ours, which can call the operations.
 */
import { html, type Markup } from '../../core/http/text/html.js'
import { type Call, type DescribedResponse, type Description, nameOf, type Operation, type Parameter, resolve } from './description.js'
import { EVENTS, type Links, linksFrom, REQUESTS, SCHEMAS, slugOf } from './links.js'
import { inline, paragraphs } from './markdown.js'
import { block, samples } from './samples.js'
import { notesOf, schemaTable, typeOf } from './schema-table.js'

/** Headers that all requests may have, described once. */
const COMMON_PARAMETERS: ReadonlySet<string> = new Set(['OrganizationId', 'Locale', 'RequestId', 'Traceparent'])
/** Headers that all responses have. */
const COMMON_HEADERS: ReadonlySet<string> = new Set(['X-Request-Id', 'X-Trace-Id'])
/** The operation of the first call. */
const FIRST_CALL = 'analysis_run-logtest'

interface Tag {
  readonly name: string
  readonly description: string
  readonly calls: readonly Call[]
}

/** What the parts of a page need. */
interface Setting {
  readonly description: Description
  readonly links: Links
  readonly tryIt: boolean
  readonly api: string
}

export interface ReferenceOptions {
  /** Name of the first page. */
  readonly root: string
  readonly tryIt: boolean
  /** Name of the first page of the other form: with scripts, or without. */
  readonly other: string
  /** Address of the interface, without a slash at the end. */
  readonly api: string
}

/** The pages by slug; '' is the first one. Each is rendered when it is read. */
export function referencePages(description: Description, { root, tryIt, other, api }: ReferenceOptions): ReadonlyMap<string, () => string> {
  const tags = tagsOf(description)
  const [first, ...others] = tags
  const page = (slug: string, title: string, body: (setting: Setting) => Markup): [string, () => string] => {
    const links = linksFrom(root, slug !== '')
    return [
      slug,
      () => frame({ slug, title, tags, body: body({ description, links, tryIt, api }), otherPage: linksFrom(other, slug !== '').page(slug) }, { description, links, tryIt, api }),
    ]
  }
  return new Map([
    page('', description.info.title, (setting) => html`${firstSteps(setting)}${tryIt ? CREDENTIALS : ''}${first === undefined ? '' : tagSection(first, setting)}`),
    ...others.map((tag) => page(slugOf(tag.name), tag.name, (setting) => html`${tryIt ? CREDENTIALS : ''}${tagSection(tag, setting)}`)),
    page(REQUESTS, 'Requests and answers', requestsSection),
    page(EVENTS, 'Events', eventsSection),
    page(SCHEMAS, 'Schemas', schemasSection),
  ])
}

const CREDENTIALS = html`<form id="credentials"></form>
`

interface Frame {
  readonly slug: string
  readonly title: string
  readonly tags: readonly Tag[]
  readonly body: Markup
  readonly otherPage: string
}

/** A whole HTML document. */
function frame({ slug, title, tags, body, otherPage }: Frame, { description: { info }, links, tryIt }: Setting): string {
  const current = (of: string): Markup => (of === slug ? html` aria-current="page"` : html``)
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${slug === '' ? title : html`${title} · ${info.title}`}</title>
<link rel="icon" type="image/svg+xml" href="${links.file('icon.svg')}">
<link rel="stylesheet" href="${links.file('page.css')}">
${tryIt ? html`<script type="module" src="${links.file('try.js')}"></script>\n` : ''}</head>
<body>
<nav aria-label="Contents">
<p class="title"><a href="${links.page('')}">${info.title}</a> <span class="quiet">${info.version}</span></p>
<input id="menu" type="checkbox" aria-label="Show the contents"><label for="menu" aria-hidden="true">Contents</label>
<ul class="contents">
${tags.map((tag, index) => navigation(tag, index === 0 ? '' : slugOf(tag.name), slug, links))}<li><a href="${links.page(REQUESTS)}"${current(REQUESTS)}>Requests and answers</a></li>
<li><a href="${links.page(EVENTS)}"${current(EVENTS)}>Events</a></li>
<li><a href="${links.page(SCHEMAS)}"${current(SCHEMAS)}>Schemas</a></li>
</ul>
</nav>
<main>
${slug === '' ? html`<h1>${title}</h1>\n` : html`<p class="quiet"><a href="${links.page('')}">${info.title}</a></p>\n`}${body}<footer class="quiet">
<p>Machines read <a href="${links.beside('openapi.json')}">openapi.json</a> (OpenAPI 3.1). ${tryIt ? html`<a href="${otherPage}">This page without scripts</a>.` : html`<a href="${otherPage}">This page with forms to call the operations</a>.`}</p>
</footer>
</main>
</body>
</html>
`
  return text
}

/** What the service is, and a call that works when the reader has a key. */
function firstSteps({ description, links, api }: Setting): Markup {
  const [lead] = description.info.description.split('\n\n')
  const call = tagsOf(description)
    .flatMap(({ calls }) => calls)
    .find(({ operation }) => operation.operationId === FIRST_CALL)
  return html`<p class="lead">${inline(lead)}</p>
${
  call === undefined
    ? ''
    : html`<section id="first-call" class="beside">
<div>
<h2>First call</h2>
<p>Run one event through predecoder, decoders and rules. The answer has the rule that fires, the fields, and the trace of every step.</p>
<p>You need an API key with the scope <code>analysis:run</code>: an administrator makes one under <a href="${links.page(slugOf('API keys'))}">API keys</a>, and the setup of a new service shows one.</p>
</div>
<div class="samples">
${block(`API=${api}\nKEY=svk_…\ncurl -s "$API${call.path}" \\\n  -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \\\n  -d '${FIRST_BODY}'`, 'shell')}</div>
</section>
`
}`
}

const FIRST_BODY = JSON.stringify({ input: { event: 'Jan  5 10:11:12 web1 sshd[2201]: Invalid user admin from 203.0.113.7 port 50122' } })

function tagsOf({ tags, paths }: Description): Tag[] {
  const calls = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Call => ({ method: method.toUpperCase(), path, operation })),
  )
  return tags.map((tag) => ({ ...tag, calls: calls.filter(({ operation }) => operation.tags.includes(tag.name)) })).filter((tag) => tag.calls.length > 0)
}

/** @param slug of the tag's page @param shown slug of the page that the contents are on */
function navigation({ name, calls }: Tag, slug: string, shown: string, links: Links): Markup {
  const page = links.page(slug)
  return html`<li><a href="${page}"${slug === shown ? html` aria-current="page"` : html``}>${name}</a>
<ul>
${calls.map(({ method, operation }) => html`<li><a href="${slug === shown ? '' : page}#${operation.operationId}">${methodBadge(method)} ${operation.summary}</a></li>\n`)}</ul>
</li>
`
}

function requestsSection({ description: { info, servers, components }, links }: Setting): Markup {
  const parameters = Object.entries(components.parameters).flatMap(([name, parameter]) => (COMMON_PARAMETERS.has(name) ? [parameter] : []))
  const [, ...rules] = info.description.split('\n\n')
  return html`<section id="${REQUESTS}">
<h1>Requests and answers</h1>
<p>Paths are relative to <code>${servers[0].url}</code>.</p>
${paragraphs(rules.join('\n\n'))}<h2>Credentials</h2>
<table>
<thead><tr><th scope="col">Name</th><th scope="col">Where</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${Object.entries(components.securitySchemes).map(
  ([name, scheme]) =>
    html`<tr><td><code>${name}</code></td><td>${scheme.type === 'http' ? html`<code>Authorization: Bearer …</code>` : html`${scheme.in ?? ''} <code>${scheme.name ?? ''}</code>`}</td><td>${inline(scheme.description)}</td></tr>\n`,
)}</tbody>
</table>
<h2>Headers of requests</h2>
${parameterTable(parameters, links)}<h2>Headers of answers</h2>
<table>
<thead><tr><th scope="col">Name</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${Object.entries(HEADER_NAMES).flatMap(([key, name]) => (key in components.headers ? [html`<tr><td><code>${name}</code></td><td>${inline(components.headers[key].description)}</td></tr>\n`] : []))}</tbody>
</table>
</section>
`
}

function eventsSection(setting: Setting): Markup {
  const { description, links } = setting
  return html`<section id="${EVENTS}">
<h1>Events</h1>
<p>Sent to the addresses that an organization sets under <a href="${links.page(slugOf('Webhooks'))}">Webhooks</a>, which describes their signatures.</p>
${Object.entries(description.webhooks).map(([name, { post }]) => eventArticle(name, post, setting))}</section>
`
}

function schemasSection({ description: { components }, links }: Setting): Markup {
  return html`<section id="${SCHEMAS}">
<h1>Schemas</h1>
${Object.entries(components.schemas).map(
  ([name, schema]) => html`<article id="schema-${name}">
<h2><a href="#schema-${name}">${name}</a></h2>
<p>${inline(schema.description ?? '')}</p>
${schemaTable(schema, links)}</article>
`,
)}</section>
`
}

/** The names of the headers, by component. */
const HEADER_NAMES: Readonly<Record<string, string>> = {
  RequestId: 'X-Request-Id',
  TraceId: 'X-Trace-Id',
  ETag: 'ETag',
  TotalCount: 'X-Total-Count',
  Link: 'Link',
  RetryAfter: 'Retry-After',
  RateLimitLimit: 'X-RateLimit-Limit',
  RateLimitRemaining: 'X-RateLimit-Remaining',
  RateLimitReset: 'X-RateLimit-Reset',
}

function tagSection({ name, description: about, calls }: Tag, setting: Setting): Markup {
  return html`<section id="${slugOf(name)}">
<h2 class="tag">${name}</h2>
${paragraphs(about)}${calls.map((call) => callArticle(call, setting))}</section>
`
}

function callArticle(call: Call, setting: Setting): Markup {
  const { description, links, tryIt } = setting
  const { method, path, operation } = call
  const { operationId, summary, requestBody, responses, security = [] } = operation
  const parameters = (operation.parameters ?? [])
    .filter((parameter) => !('$ref' in parameter && COMMON_PARAMETERS.has(nameOf(parameter))))
    .map((one) => resolve(one, description.components.parameters))
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 400)
  const schemes = security.flatMap((one) => Object.keys(one))
  return html`<article id="${operationId}" class="beside">
<div>
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="call">${methodBadge(method)} <code>${path}</code></p>
${paragraphs(operation.description)}<p class="quiet">${schemes.length === 0 ? 'No credential required.' : html`Credential: ${schemes.map((scheme, index) => html`${index === 0 ? '' : ', '}<code>${scheme}</code>`)}.`}</p>
${tryIt ? html`<details class="try" data-operation="${operationId}"><summary>Try it</summary></details>\n` : ''}${parameters.length === 0 ? '' : html`<h4>Parameters</h4>\n${parameterTable(parameters, links)}`}${
  requestBody === undefined ? '' : html`<h4>Body${requestBody.required ? '' : html` <span class="quiet">optional</span>`}</h4>\n${mediaBlocks(requestBody.content, links)}`
}<h4>Answer</h4>
${answers.map(([status, answer]) => answerBlock(status, answer, links))}${refusalBlock(responses, setting)}</div>
${samples(call, description)}</article>
`
}

function parameterTable(parameters: readonly Parameter[], links: Links): Markup {
  return html`<table class="fields">
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${parameters.map(
  ({ name, in: place, required, deprecated, description = '', schema }) =>
    html`<tr><td><code>${name}</code> <span class="quiet">${place}</span>${required === true ? html` <span class="required">required</span>` : ''}${deprecated === true ? html` <span class="deprecated">deprecated</span>` : ''}</td><td>${typeOf(schema, links)}</td><td>${inline(description)} ${notesOf(schema)}</td></tr>\n`,
)}</tbody>
</table>
`
}

function answerBlock(status: string, { description: about, headers = {}, content = {} }: DescribedResponse, links: Links): Markup {
  const own = Object.keys(headers).filter((name) => !COMMON_HEADERS.has(name))
  return html`<p><span class="status good">${status}</span> ${inline(about)}${own.length === 0 ? '' : html` <span class="quiet">Headers: ${own.join(', ')}.</span>`}</p>
${mediaBlocks(content, links)}`
}

function mediaBlocks(content: NonNullable<DescribedResponse['content']>, links: Links): Markup {
  return html`${Object.entries(content).map(
    ([type, { schema }]) => html`<p><code>${type}</code>${schema.$ref === undefined ? '' : html` ${typeOf(schema, links)}`}</p>
${schema.$ref === undefined ? schemaTable(schema, links) : ''}`,
  )}`
}

/** All refusals of an operation, with code and text. */
function refusalBlock(responses: Operation['responses'], { description: { components }, links }: Setting): Markup {
  const rows = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { content = {} }]) =>
      Object.values(content['application/json']?.examples ?? {}).map((example) => {
        const { code, message } = resolve(example, components.examples).value as { readonly code: string; readonly message: string }
        return html`<tr><td><span class="status bad">${status}</span></td><td><code>${code}</code></td><td>${message}</td></tr>\n`
      }),
    )
  return html`<details><summary>Refusals (${rows.length})</summary>
<table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Message</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
<p class="quiet">Each is an <a href="${links.schema('Error')}">Error</a>.</p>
</details>
`
}

function eventArticle(name: string, { operationId, description: about, requestBody }: Operation, { description, links }: Setting): Markup {
  const { schema, examples = {} } = Object.values(requestBody?.content ?? {})[0]
  return html`<article id="${operationId}" class="beside">
<div>
<h2><a href="#${operationId}">${name}</a></h2>
${paragraphs(about)}<p>${typeOf(schema, links)}</p>
</div>
<aside class="samples" aria-label="Sample of ${name}">
${Object.values(examples).map((example) => block(JSON.stringify(resolve(example, description.components.examples).value, null, 2), 'json'))}</aside>
</article>
`
}

function methodBadge(method: string): Markup {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`
}
