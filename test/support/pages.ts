/** All entries of a list, page by page. */
import assert from 'node:assert/strict'
import type { Actor } from './actors.js'

const PAGE = 200

export async function allOf<T>({ client }: Actor, path: string): Promise<T[]> {
  const items: T[] = []
  for (;;) {
    const { status, body, text } = await client.get<T[]>(`${path}?limit=${PAGE}&offset=${items.length}&sort=created_at&order=asc`)
    assert.equal(status, 200, text)
    items.push(...body)
    if (body.length < PAGE) return items
  }
}
