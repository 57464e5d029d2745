/** What tests of the playground do in its page. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/** Between two looks at what the page does not tell. */
export const POLL_MS = 50

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Puts a text in place of the whole file in the editor. */
export async function writeInEditor(page: Page, text: string): Promise<void> {
  await page.locator('#editor .cm-content').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

/** @param state of the page, for the message */
export async function noSeriousViolation(page: Page, state: string): Promise<void> {
  await page.evaluate(readFileSync(AXE, 'utf8'))
  const found = await page.evaluate<{ id: string; impact: string; nodes: { target: string[] }[] }[]>(
    '(async () => (await axe.run(document, { resultTypes: ["violations"] })).violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ target }) => ({ target })) })))()',
  )
  const serious = found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
  assert.deepEqual(serious, [], state)
}
