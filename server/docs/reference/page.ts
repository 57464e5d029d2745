/**
 * Renders the interface document as an HTML page: every operation, event and schema, with links between them. The page needs no script; with
 * `tryIt` it loads ours, which can call the operations.
 */
import { html, type Markup } from '../../core/http/text/html.js'
import { type DescribedResponse, type Description, nameOf, type Operation, type Parameter, resolve } from './description.js'
import { inline, paragraphs } from './markdown.js'
import { notesOf, schemaTable, typeOf } from './schema-table.js'

/** Headers that all requests may have, described once. */
const COMMON_PARAMETERS: ReadonlySet<string> = new Set(['OrganizationId', 'Locale', 'RequestId', 'Traceparent'])
/** Headers that all responses have. */
const COMMON_HEADERS: ReadonlySet<string> = new Set(['X-Request-Id', 'X-Trace-Id'])

interface Call {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

interface Tag {
  readonly name: string
  readonly description: string
  readonly calls: readonly Call[]
}

/** A whole HTML document. */
export function referencePage(description: Description, { tryIt }: { readonly tryIt: boolean }): string {
  const { info, components } = description
  const tags = tagsOf(description)
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}</title>
<link rel="icon" type="image/svg+xml" href="docs/icon.svg">
<link rel="stylesheet" href="docs/page.css">
${tryIt ? html`<script type="module" src="docs/try.js"></script>\n` : ''}</head>
<body>
<nav aria-label="Contents">
<p class="title"><a href="#top">${info.title}</a> <span class="quiet">${info.version}</span></p>
<ul>
<li><a href="#requests">Requests and answers</a></li>
${tags.map(navigation)}<li><a href="#events">Events</a></li>
<li><a href="#schemas">Schemas</a></li>
</ul>
</nav>
<main id="top">
<h1>${info.title}</h1>
${paragraphs(info.description)}<p>Machines read <a href="openapi.json">openapi.json</a> (OpenAPI 3.1). ${
    tryIt ? html`<a href="redoc">Reference without scripts</a>.` : html`<a href="docs">Reference with forms to call the operations</a>.`
  }</p>
${tryIt ? html`<form id="credentials"></form>\n` : ''}${requestsSection(description)}
${tags.map((tag) => tagSection(tag, description, tryIt))}
<section id="events">
<h2>Events</h2>
<p>Sent to the addresses that an organization sets under <a href="#${anchorOf('Webhooks')}">Webhooks</a>, which describes their signatures.</p>
${Object.entries(description.webhooks).map(([name, { post }]) => eventArticle(name, post))}</section>
<section id="schemas">
<h2>Schemas</h2>
${Object.entries(components.schemas).map(
  ([name, schema]) => html`<article id="schema-${name}">
<h3><a href="#schema-${name}">${name}</a></h3>
<p>${inline(schema.description ?? '')}</p>
${schemaTable(schema)}</article>
`,
)}</section>
</main>
</body>
</html>
`
  return text
}

function tagsOf({ tags, paths }: Description): Tag[] {
  const calls = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Call => ({ method: method.toUpperCase(), path, operation })),
  )
  return tags.map((tag) => ({ ...tag, calls: calls.filter(({ operation }) => operation.tags.includes(tag.name)) })).filter((tag) => tag.calls.length > 0)
}

function navigation({ name, calls }: Tag): Markup {
  return html`<li><a href="#${anchorOf(name)}">${name}</a>
<ul>
${calls.map(({ method, operation }) => html`<li><a href="#${operation.operationId}">${methodBadge(method)} ${operation.summary}</a></li>\n`)}</ul>
</li>
`
}

function requestsSection({ servers, components }: Description): Markup {
  const parameters = Object.entries(components.parameters).flatMap(([name, parameter]) => (COMMON_PARAMETERS.has(name) ? [parameter] : []))
  return html`<section id="requests">
<h2>Requests and answers</h2>
<p>Paths are relative to <code>${servers[0].url}</code>.</p>
<h3>Credentials</h3>
<table>
<thead><tr><th scope="col">Name</th><th scope="col">Where</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${Object.entries(components.securitySchemes).map(
  ([name, scheme]) =>
    html`<tr><td><code>${name}</code></td><td>${scheme.type === 'http' ? html`<code>Authorization: Bearer …</code>` : html`${scheme.in ?? ''} <code>${scheme.name ?? ''}</code>`}</td><td>${inline(scheme.description)}</td></tr>\n`,
)}</tbody>
</table>
<h3>Headers of requests</h3>
${parameterTable(parameters)}<h3>Headers of answers</h3>
<table>
<thead><tr><th scope="col">Name</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${Object.entries(HEADER_NAMES).flatMap(([key, name]) => (key in components.headers ? [html`<tr><td><code>${name}</code></td><td>${inline(components.headers[key].description)}</td></tr>\n`] : []))}</tbody>
</table>
</section>
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

function tagSection({ name, description: about, calls }: Tag, description: Description, tryIt: boolean): Markup {
  return html`<section id="${anchorOf(name)}">
<h2>${name}</h2>
${paragraphs(about)}${calls.map((call) => callArticle(call, description, tryIt))}</section>
`
}

function callArticle({ method, path, operation }: Call, description: Description, tryIt: boolean): Markup {
  const { operationId, summary, requestBody, responses, security = [] } = operation
  const parameters = (operation.parameters ?? [])
    .filter((parameter) => !('$ref' in parameter && COMMON_PARAMETERS.has(nameOf(parameter))))
    .map((one) => resolve(one, description.components.parameters))
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 400)
  const schemes = security.flatMap((one) => Object.keys(one))
  return html`<article id="${operationId}">
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="call">${methodBadge(method)} <code>${path}</code></p>
${paragraphs(operation.description)}<p class="quiet">${schemes.length === 0 ? 'No credential required.' : html`Credential: ${schemes.map((scheme, index) => html`${index === 0 ? '' : ', '}<code>${scheme}</code>`)}.`}</p>
${tryIt ? html`<details class="try" data-operation="${operationId}"><summary>Try it</summary></details>\n` : ''}${parameters.length === 0 ? '' : html`<h4>Parameters</h4>\n${parameterTable(parameters)}`}${
  requestBody === undefined ? '' : html`<h4>Body${requestBody.required ? '' : html` <span class="quiet">optional</span>`}</h4>\n${mediaBlocks(requestBody.content, description)}`
}<h4>Answer</h4>
${answers.map(([status, answer]) => answerBlock(status, answer, description))}${refusalBlock(responses, description)}</article>
`
}

function parameterTable(parameters: readonly Parameter[]): Markup {
  return html`<table class="fields">
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${parameters.map(
  ({ name, in: place, required, deprecated, description = '', schema }) =>
    html`<tr><td><code>${name}</code> <span class="quiet">${place}</span>${required === true ? html` <span class="required">required</span>` : ''}${deprecated === true ? html` <span class="deprecated">deprecated</span>` : ''}</td><td>${typeOf(schema)}</td><td>${inline(description)} ${notesOf(schema)}</td></tr>\n`,
)}</tbody>
</table>
`
}

function answerBlock(status: string, { description: about, headers = {}, content = {} }: DescribedResponse, description: Description): Markup {
  const own = Object.keys(headers).filter((name) => !COMMON_HEADERS.has(name))
  return html`<p><span class="status good">${status}</span> ${inline(about)}${own.length === 0 ? '' : html` <span class="quiet">Headers: ${own.join(', ')}.</span>`}</p>
${mediaBlocks(content, description)}`
}

function mediaBlocks(content: NonNullable<DescribedResponse['content']>, { components }: Description): Markup {
  return html`${Object.entries(content).map(
    ([type, { schema, examples = {} }]) => html`<p><code>${type}</code>${schema.$ref === undefined ? '' : html` ${typeOf(schema)}`}</p>
${schema.$ref === undefined ? schemaTable(schema) : ''}${Object.entries(examples).map(([name, example]) => exampleBlock(name, resolve(example, components.examples).value))}`,
  )}`
}

function exampleBlock(name: string, value: unknown): Markup {
  return html`<details><summary>Example: ${name}</summary><pre><code>${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code></pre></details>
`
}

/** All refusals of an operation, with code and text. */
function refusalBlock(responses: Operation['responses'], { components }: Description): Markup {
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
<p class="quiet">Each is an <a href="#schema-Error">Error</a>.</p>
</details>
`
}

function eventArticle(name: string, { operationId, description, requestBody }: Operation): Markup {
  const { schema, examples = {} } = Object.values(requestBody?.content ?? {})[0]
  return html`<article id="${operationId}">
<h3><a href="#${operationId}">${name}</a></h3>
${paragraphs(description)}<p>${typeOf(schema)}</p>
${Object.entries(examples).map(([key, example]) => ('$ref' in example ? html`` : exampleBlock(key, example.value)))}</article>
`
}

function methodBadge(method: string): Markup {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`
}

function anchorOf(tag: string): string {
  return `tag-${tag.toLowerCase().replaceAll(' ', '-')}`
}
