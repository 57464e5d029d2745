/** An answer that is JSON already, as text: it goes out as it is. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What was made elsewhere as JSON, as a handler answers it. */
export function asAnswer(json: string | Uint8Array): JsonText | Uint8Array {
  return typeof json === 'string' ? new JsonText(json) : json
}
