/**
 * Script of the reference pages, run by browsers. It adds a search to the contents, marks there what is being read, and gives every operation a form that sends a
 * request; rules and decoders have fields of their own in it. The interface document is loaded when the first form is opened. Input stays on the page: nothing is stored, and requests go to this service only.
 */

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Schema
  readonly example?: unknown
}

interface Content {
  readonly [mediaType: string]: { readonly examples?: Readonly<Record<string, { readonly value?: unknown }>> }
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> }
}

interface Call {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

interface PreparedRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Maximum characters of a response that are shown; a longer one can be downloaded. */
const SHOWN_CHARACTERS = 500_000
/** Headers that are entered once, above the operations. */
const COMMON_HEADERS = new Set(['X-Org-Id', 'x-locale', 'X-Request-Id', 'Traceparent'])
/** Base URL of this service: this script is at `docs/try.js` below it. */
const BASE = new URL('..', import.meta.url).href.replace(/\/$/, '')
/** Fields of bodies that contain XML. */
const XML_FIELD = /^(?:content|\w+_xml)$/

let description: Promise<ReadonlyMap<string, Call>> | null = null
let parameters: Description['components']['parameters'] = {}

const credential = input('password', 'off')
const organization = input('text', 'off')
const locale = choice(['', 'en-US', 'pt-BR'])

followAnchor()
addCredentials()
addSearch()
markReading()
for (const details of document.querySelectorAll<HTMLDetailsElement>('details.try')) details.addEventListener('toggle', () => void open(details), { once: true })

/** Leads an anchor of another page to that page: everything was on one page before. */
function followAnchor(): void {
  const anchor = location.hash
  if (anchor === '' || document.getElementById(anchor.slice(1)) !== null) return
  const link = [...document.querySelectorAll<HTMLAnchorElement>('nav a')].find(({ hash }) => hash === anchor)
  if (link !== undefined) location.replace(link.href)
  else if (anchor.startsWith('#schema-')) location.replace(`${BASE}/docs/schemas${anchor}`)
}

/** Marks the operation in the contents that is being read. */
function markReading(): void {
  const links = new Map(Array.from(document.querySelectorAll<HTMLAnchorElement>('nav ul ul a'), (link) => [link.hash.slice(1), link]))
  let marked: HTMLElement | null = null
  const observer = new IntersectionObserver(
    (entries) => {
      const entry = entries.find(({ isIntersecting }) => isIntersecting)
      const link = entry === undefined ? undefined : links.get(entry.target.id)
      if (link === undefined) return
      marked?.classList.remove('here')
      link.classList.add('here')
      marked = link
      const { top, bottom } = link.getBoundingClientRect()
      const nav = link.closest('nav') as HTMLElement
      // On a phone the contents are above the text.
      if (getComputedStyle(nav).position === 'fixed' && (top < 0 || bottom > nav.clientHeight)) link.scrollIntoView({ block: 'center' })
    },
    { rootMargin: '0px 0px -70% 0px' },
  )
  for (const article of document.querySelectorAll('article[id]')) observer.observe(article)
}

function addCredentials(): void {
  const place = document.getElementById('credentials')
  if (place === null) return
  const hint = element('p', 'The credential stays on this page. If the field is empty, the session cookie of this browser is used.')
  hint.className = 'quiet'
  // Browsers expect password fields inside a form; it is never submitted.
  place.addEventListener('submit', (event) => event.preventDefault())
  place.append(
    inputs([
      ['API key or access token', credential],
      ['Organization (X-Org-Id)', organization],
      ['Language (x-locale)', locale],
    ]),
    hint,
  )
}

function addSearch(): void {
  const search = input('search', 'off')
  search.placeholder = 'Find an operation'
  search.setAttribute('aria-label', search.placeholder)
  document.querySelector('nav .contents')?.before(search)
  search.addEventListener('input', () => {
    const words = search.value
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    for (const group of document.querySelectorAll<HTMLElement>('nav > ul > li')) {
      const entries = [...group.querySelectorAll<HTMLElement>('li')]
      for (const entry of entries) {
        const anchor = entry.querySelector('a')?.hash.slice(1) ?? ''
        const text =
          `${group.firstElementChild?.textContent ?? ''} ${entry.textContent ?? ''} ${document.getElementById(anchor)?.querySelector('.call')?.textContent ?? anchor}`.toLowerCase()
        entry.hidden = !words.every((word) => text.includes(word))
      }
      group.hidden = words.length > 0 && entries.every(({ hidden }) => hidden)
      group.querySelector('ul')?.classList.toggle('found', words.length > 0)
    }
  })
}

/** Loads the interface document. @returns its operations by id */
async function readDescription(): Promise<ReadonlyMap<string, Call>> {
  const response = await fetch(`${BASE}/openapi.json`)
  if (!response.ok) throw new Error(`openapi.json: ${response.status}`)
  const { paths, components } = (await response.json()) as Description
  parameters = components.parameters
  const calls = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Call => ({ method: method.toUpperCase(), path, operation })),
  )
  return new Map(calls.map((call) => [call.operation.operationId, call]))
}

/** Adds the form to an operation. */
async function open(details: HTMLDetailsElement): Promise<void> {
  const answer = element('div', '')
  answer.className = 'answer'
  answer.setAttribute('aria-live', 'polite')
  try {
    const call = (await (description ??= readDescription())).get(details.dataset.operation ?? '')
    if (call !== undefined) details.append(form(call, answer), answer)
  } catch (error) {
    description = null
    details.append(answer)
    answer.textContent = String(error)
  }
}

function form({ method, path, operation }: Call, answer: HTMLElement): HTMLElement {
  const fields = (operation.parameters ?? [])
    .map((one) => (one.$ref === undefined ? one : parameters[one.$ref.slice(one.$ref.lastIndexOf('/') + 1)]))
    .filter(({ name }) => !COMMON_HEADERS.has(name))
    .map((parameter) => ({ parameter, field: fieldOf(parameter) }))
  const [mediaType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [null, {}]
  const examples = mediaType === null ? [] : examplesOf(mediaType, content.examples ?? {})
  const body = document.createElement('textarea')
  body.spellcheck = false
  const contents = document.createElement('div')
  const show = (text: string): void => {
    const taken = mediaType === 'application/json' ? takeXml(text) : { text, fields: [] }
    body.value = taken.text
    contents.replaceChildren(...taken.fields.flatMap(({ label, area }) => [label, area]))
  }
  show(examples[0]?.text ?? '')
  const example = choice(examples.map(({ name }) => name))
  example.addEventListener('change', () => show(examples.find(({ name }) => name === example.value)?.text ?? ''))
  const accepted = choice([...new Set(Object.entries(operation.responses).flatMap(([status, { content: forms = {} }]) => (Number(status) < 300 ? Object.keys(forms) : [])))])
  const rows: [string, HTMLElement][] = fields.map(({ parameter, field }) => [`${parameter.name}${parameter.required === true ? ' *' : ''}`, field])
  if (accepted.options.length > 1) rows.push(['Response type (Accept)', accepted])
  if (examples.length > 1) rows.push(['Example body', example])

  const prepare = (): PreparedRequest => {
    const url = new URL(`${BASE}${path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(fields.find(({ parameter }) => parameter.name === name)?.field.value ?? ''))}`)
    const headers: Record<string, string> = {}
    for (const { parameter, field } of fields) {
      if (field.value === '') continue
      if (parameter.in === 'query') url.searchParams.set(parameter.name, field.value)
      if (parameter.in === 'header') headers[parameter.name] = field.value
    }
    if (credential.value.startsWith('svk_')) headers['X-API-Key'] = credential.value.trim()
    else if (credential.value !== '') headers.Authorization = `Bearer ${credential.value.trim()}`
    if (organization.value !== '') headers['X-Org-Id'] = organization.value.trim()
    if (locale.value !== '') headers['x-locale'] = locale.value
    if (accepted.value !== '') headers.Accept = accepted.value
    const hasBody = mediaType !== null && body.value !== ''
    if (hasBody) headers['Content-Type'] = mediaType
    return { url: url.href, method, headers, body: hasBody ? putXml(body.value, contents) : null }
  }
  const send = button('Send', 'send')
  const copy = button('Copy as curl', '')
  send.addEventListener('click', () => void run(prepare(), send, answer))
  copy.addEventListener('click', () => void offerCurl(prepare(), answer))
  const all = element('div', '')
  all.append(inputs(rows), ...(mediaType === null ? [] : [contents, body]), send, ' ', copy)
  return all
}

/** Takes XML out of a JSON body: a name stands for it there, and it gets a field, where it is written without escapes. */
function takeXml(text: string): { readonly text: string; readonly fields: readonly { readonly label: HTMLElement; readonly area: HTMLTextAreaElement }[] } {
  const fields: { label: HTMLElement; area: HTMLTextAreaElement }[] = []
  const taken = (name: string, value: unknown): unknown => {
    if (typeof value !== 'string' || !XML_FIELD.test(name) || !/^\s*</.test(value)) return value
    const area = document.createElement('textarea')
    area.spellcheck = false
    area.value = value.replaceAll('><', '>\n<')
    area.dataset.name = `<${name} ${fields.length + 1}: the field above>`
    area.setAttribute('aria-label', name)
    fields.push({ label: element('p', name), area })
    return area.dataset.name
  }
  return {
    text:
      text === ''
        ? ''
        : JSON.stringify(
            JSON.parse(text, (name, value: unknown) => taken(name, value)),
            null,
            2,
          ),
    fields,
  }
}

/** Puts the XML of the fields back where their names stand. */
function putXml(text: string, fields: HTMLElement): string {
  return [...fields.querySelectorAll('textarea')].reduce((body, area) => body.replaceAll(JSON.stringify(area.dataset.name), () => JSON.stringify(area.value)), text)
}

/** Examples as bodies; the lines of a stream are joined. */
function examplesOf(mediaType: string, examples: NonNullable<Content[string]['examples']>): { readonly name: string; readonly text: string }[] {
  const entries = Object.entries(examples)
  if (mediaType === 'application/x-ndjson') return [{ name: 'lines', text: entries.map(([, { value }]) => `${JSON.stringify(value)}\n`).join('') }]
  return entries.map(([name, { value }]) => ({ name, text: typeof value === 'string' ? value : JSON.stringify(value, null, 2) }))
}

function fieldOf({ schema, example, required }: Parameter): HTMLInputElement | HTMLSelectElement {
  const choices = schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : null)
  if (choices !== null) return choice([...(required === true ? [] : ['']), ...choices.map(String)])
  const field = input('text', 'off')
  if (example !== undefined) field.placeholder = String(example)
  return field
}

/** Sends the request and shows the response as it is received; a second click meanwhile aborts it. */
async function run({ url, method, headers, body }: PreparedRequest, send: HTMLButtonElement, place: HTMLElement): Promise<void> {
  const ending = new AbortController()
  const stop = button('Stop', '')
  stop.addEventListener('click', () => ending.abort())
  send.disabled = true
  place.replaceChildren(stop)
  const started = performance.now()
  const line = element('p', '')
  const shown = document.createElement('code')
  const box = document.createElement('pre')
  box.append(shown)
  const chunks: Uint8Array<ArrayBuffer>[] = []
  try {
    const response = await fetch(url, { method, headers, body, signal: ending.signal })
    const status = element('span', `${response.status}`)
    status.className = `status ${response.ok ? 'good' : 'bad'}`
    const shownHeaders = ['Content-Type', 'X-Request-Id', 'ETag', 'X-Total-Count', 'Location', 'Retry-After', 'X-RateLimit-Remaining'].flatMap((name) => {
      const value = response.headers.get(name)
      return value === null ? [] : [`${name}: ${value}`]
    })
    const rest = element('span', '')
    line.append(status, rest)
    place.replaceChildren(line, box, stop)
    const decoder = new TextDecoder()
    let length = 0
    for await (const chunk of chunksOf(response)) {
      chunks.push(chunk)
      length += chunk.byteLength
      if ((shown.textContent ?? '').length < SHOWN_CHARACTERS) shown.append(decoder.decode(chunk, { stream: true }))
      rest.textContent = ` ${length.toLocaleString('en-US')} bytes, ${Math.round(performance.now() - started)} ms. ${shownHeaders.join(' · ')}`
    }
    if (length === 0) rest.textContent = ` no body, ${Math.round(performance.now() - started)} ms. ${shownHeaders.join(' · ')}`
    finish(response, shown, chunks, place)
  } catch (error) {
    place.append(element('p', ending.signal.aborted ? 'Stopped.' : String(error)))
  } finally {
    stop.remove()
    send.disabled = false
  }
}

async function* chunksOf(response: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader()
  for (;;) {
    const part = await reader?.read()
    if (part === undefined || part.done) return
    yield part.value
  }
}

/** Formats JSON; a response that is too long or not a text can be downloaded. */
function finish(response: Response, shown: HTMLElement, chunks: Uint8Array<ArrayBuffer>[], place: HTMLElement): void {
  const type = response.headers.get('Content-Type') ?? ''
  const text = shown.textContent ?? ''
  const length = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const isText = /json|text|xml/.test(type)
  if (/^application\/json/.test(type) && text.length < SHOWN_CHARACTERS) shown.textContent = JSON.stringify(JSON.parse(text), null, 2)
  if (!isText) shown.textContent = ''
  if (text.length > SHOWN_CHARACTERS) shown.textContent = `${text.slice(0, SHOWN_CHARACTERS)}…`
  if (length === 0 || (isText && text.length <= SHOWN_CHARACTERS)) return
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob(chunks, { type }))
  link.download = 'answer'
  link.textContent = 'Save the whole response'
  place.append(link)
}

async function offerCurl({ url, method, headers, body }: PreparedRequest, place: HTMLElement): Promise<void> {
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
  const parts = ['curl', ...(method === 'GET' ? [] : ['-X', method]), quote(url)]
  for (const [name, value] of Object.entries(headers)) parts.push('-H', quote(`${name}: ${value}`))
  if (body !== null) parts.push('--data-binary', quote(body))
  const command = parts.join(' ')
  const code = element('code', command)
  const box = document.createElement('pre')
  box.append(code)
  place.replaceChildren(box)
  // Browsers provide the clipboard over TLS only.
  await navigator.clipboard?.writeText(command).catch(() => undefined)
}

function inputs(rows: readonly (readonly [string, HTMLElement])[]): HTMLElement {
  const grid = element('div', '')
  grid.className = 'inputs'
  for (const [index, [text, field]] of rows.entries()) {
    field.id = `field-${crypto.getRandomValues(new Uint32Array(1))[0]}-${index}`
    const label = document.createElement('label')
    label.htmlFor = field.id
    label.textContent = text
    grid.append(label, field)
  }
  return grid
}

function element(name: string, text: string): HTMLElement {
  const created = document.createElement(name)
  created.textContent = text
  return created
}

function button(text: string, kind: string): HTMLButtonElement {
  const created = document.createElement('button')
  created.type = 'button'
  created.textContent = text
  created.className = kind
  return created
}

function input(type: string, autocomplete: 'off'): HTMLInputElement {
  const created = document.createElement('input')
  created.type = type
  created.autocomplete = autocomplete
  return created
}

function choice(values: readonly string[]): HTMLSelectElement {
  const created = document.createElement('select')
  created.append(...values.map((value) => new Option(value, value)))
  return created
}
