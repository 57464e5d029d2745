/** The page on a folder that the real command serves: opened, edited, followed, merged and saved. With `SCREENSHOTS=DIR` states are written there as pictures. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { CHROMIUM_SKIP } from '../../support/chromium.js'
import { noSeriousViolation, POLL_MS, writeInEditor } from '../../support/playground-steps.js'
import { PlaygroundBrowser } from '../../support/playground-tab.js'
import { Workplace } from '../cli/call.js'

const MAIN = fileURLToPath(new URL('../../../server/cli/main.js', import.meta.url))
const SCREENSHOTS = process.env.SCREENSHOTS ?? null
const RULES = `<group name="gate,">

  <rule id="100400" level="3">
    <decoded_as>gate</decoded_as>
    <description>Gate: event</description>
  </rule>

  <rule id="100401" level="7">
    <if_sid>100400</if_sid>
    <match>forced</match>
    <description>Gate: forced open</description>
  </rule>

</group>
`
const FORCED = 'Jan  5 10:11:12 hall gate: door 3 forced'
const CASE = { name: 'forced', note: 'of the night shift', event_text: FORCED, expected_rule: '100401' }

describe('the page on a folder', { skip: CHROMIUM_SKIP }, () => {
  const workplace = new Workplace()
  const folder = join(workplace.folder, 'gate-content')
  const write = (path: string, text: string): string => workplace.write(`gate-content/${path}`, text)
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
  let browser: PlaygroundBrowser
  let command: ChildProcess
  let address: string
  before(async () => {
    write('rules/gate_rules.xml', RULES)
    write('decoders/gate_decoder.xml', '<decoder name="gate">\n  <program_name>^gate</program_name>\n</decoder>\n')
    write('lists/doors', 'north:1\r\nsouth:2\r\n')
    write('tests/gate.json', JSON.stringify({ owner: 'lia', cases: [CASE] }))
    write('tests/gate.ini', `; of lia\n[gate]\nlog 1 pass = ${FORCED}\nrule = 100401\nalert = 7\ndecoder = gate\n`)
    write('events.log', `${FORCED}\nJan  5 10:11:13 hall gate: door 4 opened\n`)
    command = spawn(process.execPath, [MAIN, 'playground', folder, '--port', '0'], { env: { PATH: process.env.PATH, LANG: 'en_US.UTF-8' }, stdio: ['ignore', 'pipe', 'inherit'] })
    const [first] = (await once((command.stdout as NodeJS.ReadableStream).setEncoding('utf8'), 'data')) as [string]
    address = /^Playground: (http:\S+)\n/.exec(first)?.[1] ?? assert.fail(first)
    browser = await PlaygroundBrowser.start()
  })
  after(async () => {
    await browser?.close()
    command?.kill('SIGKILL')
    workplace.remove()
  })

  const fired = (page: Page, rule: string): Promise<void> => page.locator('.outcome .rule-id', { hasText: new RegExp(`^${rule}$`) }).waitFor()
  const tab = (page: Page, name: string) => page.locator('.tabs-bar .tab', { hasText: name })
  const save = async (page: Page): Promise<void> => {
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor()
  }
  const rename = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Actions for this file' }).click()
    await page.getByRole('menuitem', { name: 'Rename the file' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('New name of the file').fill(name)
    await dialog.getByRole('button', { name: 'Rename', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await setTimeout(POLL_MS)
  }
  const picture = async (page: Page, name: string): Promise<void> => {
    if (SCREENSHOTS === null) return
    mkdirSync(SCREENSHOTS, { recursive: true })
    await page.screenshot({ path: join(SCREENSHOTS, `folder-${name}.png`) })
  }

  test('opens with its events and cases, and has no secret in the address', async () => {
    const { page, context, requests } = await browser.open({ address })
    await fired(page, '100401')
    assert.equal(new URL(page.url()).hash, '')
    assert.deepEqual((await page.locator('.tabs-bar .tab').allTextContents()).sort(), ['gate_decoder.xml', 'gate_rules.xml', 'lists/doors'])
    await page.getByRole('tab', { name: /^Cases/ }).click()
    await page.getByText('2 of 2 pass').waitFor()
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor()
    await noSeriousViolation(page, 'folder')
    await picture(page, 'open')
    const { origin } = new URL(address)
    assert.ok(requests.every((url) => url.startsWith(`${origin}/`) && !url.includes(new URL(address).hash.slice('#folder='.length))))
    // The tab has the secret until it is closed; another one has it not, and shows the example.
    await page.reload()
    await page.locator('.home-bar', { hasText: 'gate-content' }).waitFor()
    const other = await browser.open({ address: `${origin}/`, context })
    await fired(other.page, '5710')
    assert.equal(await other.page.locator('.home-bar').count(), 0)
    const wrong = await browser.open({ address: `${origin}/#folder=${'A'.repeat(43)}` })
    await wrong.page.getByText('The command was started again.').waitFor()
    await wrong.context.close()
    await context.close()
  })

  test('saves what was edited, byte for byte, when somebody says so', async () => {
    const { page, context } = await browser.open({ address })
    await fired(page, '100401')
    await tab(page, 'lists/doors').click()
    await page.locator('#editor .cm-content', { hasText: 'north' }).click()
    await page.keyboard.press('ControlOrMeta+Home')
    await page.keyboard.insertText('east:3\n')
    await tab(page, 'lists/doors').getByRole('img', { name: 'Not saved' }).waitFor()
    await page.getByRole('button', { name: 'Save 1 change' }).waitFor()
    assert.equal(read('lists/doors'), 'north:1\r\nsouth:2\r\n')
    await save(page)
    assert.equal(read('lists/doors'), 'east:3\r\nnorth:1\r\nsouth:2\r\n')

    // A case goes to the file of the others, whose notes stay.
    await page.getByRole('button', { name: 'Save as a case' }).click()
    await page.getByRole('button', { name: 'Save 1 change' }).click()
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor()
    const { owner, cases } = JSON.parse(read('tests/gate.json')) as { owner: string; cases: { name: string }[] }
    assert.deepEqual([owner, cases.length, cases[0]], ['lia', 2, CASE])
    assert.match(cases[1].name, /^100401 /)

    // An .ini suite keeps what is no case.
    await page.getByRole('tab', { name: /^Cases/ }).click()
    const inIni = page.locator('.case', { hasText: '.ini' })
    await inIni.getByLabel('Name of the case').fill('forced')
    // Another program adds one more. What is typed stays while the list is drawn again.
    write('tests/gate.json', JSON.stringify({ owner, cases: [...cases, { ...CASE, name: 'once more' }] }))
    await page.getByText('4 of 4 pass').waitFor()
    await inIni.getByLabel('Name of the case').press('Enter')
    await page.getByRole('button', { name: 'Save 1 change' }).click()
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor()
    assert.equal(read('tests/gate.ini'), `; of lia\n[forced]\nlog 1 pass = ${FORCED}\nrule = 100401\nalert = 7\ndecoder = gate\n`)

    assert.equal(await page.getByRole('button', { name: 'Everything is saved' }).count(), 1)

    // A new file, another name, and no file.
    await page.getByRole('button', { name: 'New file' }).click()
    await page.getByRole('menuitem', { name: 'Rules' }).click()
    await tab(page, 'local_rules.xml').waitFor()
    await writeInEditor(page, RULES.replaceAll('1004', '1005'))
    await save(page)
    assert.equal(read('rules/local_rules.xml'), RULES.replaceAll('1004', '1005'))
    await rename(page, 'night_rules.xml')
    await tab(page, 'night_rules.xml').waitFor()
    await save(page)
    assert.equal(read('rules/night_rules.xml'), RULES.replaceAll('1004', '1005'))
    assert.ok(!existsSync(join(folder, 'rules/local_rules.xml')))
    await page.getByRole('button', { name: 'Actions for this file' }).click()
    await page.getByRole('menuitem', { name: 'Delete the file' }).click()
    await tab(page, 'night_rules.xml').waitFor({ state: 'detached' })
    assert.ok(existsSync(join(folder, 'rules/night_rules.xml')))
    await save(page)
    assert.ok(!existsSync(join(folder, 'rules/night_rules.xml')))
    // A name that leads out is refused, and so is its file.
    await page.getByRole('button', { name: 'New file' }).click()
    await page.getByRole('menuitem', { name: 'Rules' }).click()
    await rename(page, '../../out.xml')
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByText('out.xml is not saved').waitFor()
    assert.ok(!existsSync(join(workplace.folder, 'out.xml')))
    await context.close()
  })

  test('shows changes on disk at once, and merges by rule what both have changed', async () => {
    write('rules/gate_rules.xml', RULES)
    const { page, context } = await browser.open({ address })
    await fired(page, '100401')
    await tab(page, 'gate_rules.xml').click()
    write('rules/gate_rules.xml', RULES.replace('level="7"', 'level="8"'))
    await page.locator('#editor .cm-content', { hasText: 'level="8"' }).waitFor()
    await page
      .locator('.outcome', { hasText: 'Level 8' })
      .or(page.locator('tr.event .level', { hasText: '8' }))
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor()
    write('rules/more_rules.xml', RULES.replaceAll('1004', '1006'))
    await tab(page, 'more_rules.xml').waitFor()
    rmSync(join(folder, 'rules/more_rules.xml'))
    await tab(page, 'more_rules.xml').waitFor({ state: 'detached' })

    // Both change one rule; the other one is changed on disk, and a third here.
    const mine = RULES.replace('level="7"', 'level="9"').replace(
      '</group>',
      '  <rule id="100402" level="4">\n    <if_sid>100400</if_sid>\n    <description>Gate: mine</description>\n  </rule>\n\n</group>',
    )
    await writeInEditor(page, mine)
    write('rules/gate_rules.xml', RULES.replace('level="7"', 'level="12"').replace('Gate: event', 'Gate: any event'))
    await page.getByRole('button', { name: /Decide/ }).click()
    const dialog = page.getByRole('dialog', { name: 'gate_rules.xml was changed in two places' })
    await dialog.getByRole('group', { name: 'Rule 100401' }).waitFor()
    assert.equal(await dialog.locator('.merge-item').count(), 1)
    await dialog.getByText('Taken from yours: Rule 100402.').waitFor()
    assert.match((await dialog.locator('.merge-side').first().innerText()) ?? '', /level="8"[\s\S]*level="12"/)
    await noSeriousViolation(page, 'merge')
    await picture(page, 'merge')
    const use = dialog.getByRole('button', { name: 'Use the merged text' })
    assert.equal(await use.isDisabled(), true)
    // What was typed into my side is taken.
    await dialog.getByRole('textbox', { name: 'Yours: Rule 100401' }).click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(
      '<rule id="100401" level="11">\n    <if_sid>100400</if_sid>\n    <match>forced</match>\n    <description>Gate: forced open</description>\n  </rule>',
    )
    assert.equal(await dialog.getByRole('radio', { name: /^Yours/ }).isChecked(), true)
    await use.click()
    await dialog.waitFor({ state: 'detached' })
    assert.match(read('rules/gate_rules.xml'), /level="12"/)
    await save(page)
    const merged = read('rules/gate_rules.xml')
    for (const part of ['level="11"', 'Gate: any event', 'Gate: mine']) assert.ok(merged.includes(part), part)
    assert.equal(merged.match(/<rule /g)?.length, 3)

    // Deleted there, edited here.
    await tab(page, 'lists/doors').click()
    await writeInEditor(page, 'west:4\n')
    rmSync(join(folder, 'lists/doors'))
    await page.getByRole('button', { name: /Decide/ }).click()
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await save(page)
    await until(() => existsSync(join(folder, 'lists/doors')))
    assert.equal(read('lists/doors'), 'west:4\n')
    await context.close()
  })

  test('asks before a link takes its place, and keeps what is not saved when the command ends', async () => {
    const { page, context } = await browser.open({ address })
    await fired(page, '100401')
    await page.getByRole('button', { name: 'Share' }).click()
    const link = page.getByLabel('Link')
    while ((await link.inputValue()) === '') await setTimeout(POLL_MS)
    const { hash } = new URL(await link.inputValue())
    await page.keyboard.press('Escape')
    await tab(page, 'gate_rules.xml').click()
    await writeInEditor(page, RULES)
    await page.getByRole('button', { name: 'Save 1 change' }).waitFor()
    const asked = page.waitForEvent('dialog')
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    await (await asked).dismiss()
    await page.getByRole('button', { name: 'Save 1 change' }).waitFor()
    command.kill('SIGTERM')
    await page.getByText('The command does not answer.').waitFor()
    await page.getByRole('button', { name: 'Save 1 change' }).waitFor()
    await context.close()
  })
})
