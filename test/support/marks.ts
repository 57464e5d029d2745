/** Finds secrets in bytes: as they are, and in the encodings in which they could leak. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { backUp } from '../../server/core/storage/backup.js'
import type { TestApp } from './app.js'
import type { Answer } from './client.js'

/** Characters of base64 that depend on the neighbours of a text, at each end. */
const UNSURE = 4

export class Marks {
  readonly #marks = new Map<string, string>()
  readonly #kept: { readonly where: string; readonly text: string }[] = []

  /** Returns a secret that occurs nowhere else. */
  create(name: string): string {
    return this.add(name, `mark${randomBytes(18).toString('hex')}`)
  }

  /** Looks for a secret that something else created. */
  add(name: string, secret: string): string {
    this.#marks.set(name, secret)
    return secret
  }

  /** Keeps an answer for the search. */
  keep<T>(where: string, answer: Answer<T>): Answer<T> {
    this.#kept.push({ where, text: `${JSON.stringify([...answer.headers])}${answer.text}` })
    return answer
  }

  /** Searches all answers that were kept, the log, the mails, the store and its backup. */
  async search(app: TestApp): Promise<void> {
    for (const { where, text } of this.#kept) this.#requireNone(where, text)
    this.#requireNone('the log', app.log.join('\n'))
    this.#requireNone('a mail', app.mail.sent.map(({ subject, text }) => `${subject}\n${text}`).join('\n'))
    let stored = ''
    for await (const record of app.service.storage.dump()) stored += `${JSON.stringify(record)}\n`
    this.#requireNone('the store', stored)
    const path = join(tmpdir(), `marks-${randomBytes(8).toString('hex')}.gz`)
    try {
      await backUp(app.service.storage, path)
      this.#requireNone('a backup', gunzipSync(await readFile(path)).toString('latin1'))
    } finally {
      await rm(path, { force: true })
    }
  }

  #requireNone(where: string, text: string): void {
    for (const [name, secret] of this.#marks)
      for (const [encoding, encoded] of encodingsOf(secret)) assert.ok(!text.includes(encoded), `${where} has the secret "${name}" (${encoding}): ${around(text, encoded)}`)
  }
}

function encodingsOf(secret: string): [string, string][] {
  const bytes = Buffer.from(secret)
  // In base64 a text has one of three forms, by its place.
  const base64 = [0, 1, 2].map((offset): [string, string] => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    return [`base64, offset ${offset}`, encoded.slice(UNSURE, -UNSURE)]
  })
  return [['plain', secret], ['hex', bytes.toString('hex')], ['URL', encodeURIComponent(secret)], ['reversed', [...secret].reverse().join('')], ...base64]
}

function around(text: string, found: string): string {
  const at = text.indexOf(found)
  return text.slice(Math.max(0, at - 200), at + 20)
}
