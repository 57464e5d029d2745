/**
 * Converts the XML of Event Viewer and wevtutil to the form that an agent sends: single quotes, no prefixes, no white space between elements, the
 * rendered message beside the event. The input is real XML, so a real XML parser (sax) reads it.
 *
 *     <Event xmlns="…"><System>…</System><EventData>…</EventData><RenderingInfo><Message>…</Message></RenderingInfo></Event>
 */
import sax from 'sax'

/** Windows events do not nest deeper; hostile input is stopped early. */
const DEPTH_LIMIT = 64

/** An open element: its name, its text so far, and whether it has child elements. */
interface Open {
  readonly name: string
  readonly start: string
  text: string
  inner: string
  hasChildren: boolean
}

/** Returns the agent's JSON for the first event of the text, or null if the XML is invalid. Both texts are Unicode. */
export function agentForm(text: string): string | null {
  const reader = new WindowsXmlReader()
  const xml = reader.read(text)
  return xml === null ? null : JSON.stringify(reader.message === null ? { Event: xml } : { Message: reader.message, Event: xml })
}

class WindowsXmlReader {
  message: string | null = null
  readonly #open: Open[] = []
  /** Inside the section that Event Viewer adds. */
  #rendering = 0
  #event: string | null = null
  #failed = false

  read(text: string): string | null {
    const parser = sax.parser(true, {})
    parser.onerror = () => {
      // Text after the event is ignored.
      this.#failed = this.#event === null
      parser.error = null as unknown as Error
    }
    parser.onopentag = ({ name, attributes }) => this.#enter(withoutPrefix(name), attributes as Record<string, string>)
    parser.ontext = (piece) => this.#addText(piece)
    parser.oncdata = (piece) => this.#addText(piece)
    parser.onclosetag = () => this.#leave()
    parser.write(text.slice(Math.max(0, text.indexOf('<'))))
    return this.#failed ? null : this.#event
  }

  #enter(name: string, attributes: Record<string, string>): void {
    if (this.#event !== null || this.#failed) return
    const parent = this.#open.at(-1)
    if (parent === undefined && name !== 'Event') {
      // The first of a list of events is used.
      if (name !== 'Events') this.#failed = true
      return
    }
    if (this.#open.length >= DEPTH_LIMIT) this.#failed = true
    if (parent !== undefined) parent.hasChildren = true
    if (name === 'RenderingInfo' || this.#rendering > 0) this.#rendering++
    const written = Object.entries(attributes)
      .filter(([attribute]) => !attribute.startsWith('xmlns:'))
      .map(([attribute, value]) => ` ${withoutPrefix(attribute)}='${escapeText(value).replaceAll("'", '&apos;')}'`)
    this.#open.push({ name, start: `<${name}${written.join('')}`, text: '', inner: '', hasChildren: false })
  }

  #addText(piece: string): void {
    const element = this.#open.at(-1)
    if (element !== undefined) element.text += piece
  }

  #leave(): void {
    const element = this.#open.pop()
    if (element === undefined) return
    if (this.#rendering > 0) {
      if (element.name === 'Message' && this.#rendering === 2) this.message = element.text
      this.#rendering--
      return
    }
    const content = element.hasChildren ? element.inner : escapeText(element.text)
    const whole = content === '' ? `${element.start}/>` : `${element.start}>${content}</${element.name}>`
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#event = whole
    else parent.inner += whole
  }
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** Escapes the three characters that Windows escapes. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
