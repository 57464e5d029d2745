import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { call } from './call.js'

describe('schema', () => {
  it('prints all tags as JSON', async () => {
    const { code, stdout } = await call(['schema'])
    assert.equal(code, 0)
    const { rules, decoders } = JSON.parse(stdout)
    assert.ok(rules.elements.some(({ name }: { name: string }) => name === 'if_sid'))
    assert.ok(decoders.elements.some(({ name }: { name: string }) => name === 'prematch'))
  })

  it('prints the reference of codes in both languages', async () => {
    assert.match((await call(['schema', '--diagnostics'])).stdout, /^# Diagnostics\n/)
    assert.match((await call(['schema', '--diagnostics', '--locale', 'pt-BR'])).stdout, /^# Diagnósticos\n/)
  })
})

describe('explain', () => {
  it('prints the page about a code in both languages, with both examples', async () => {
    const { code, stdout } = await call(['explain', 'rule_parent_missing'])
    assert.equal(code, 0)
    assert.match(stdout, /^# `rule_parent_missing`\n\n\*\*Missing parent rule\*\*[\s\S]*drops the rule[\s\S]*What to do: [\s\S]*Wrong:[\s\S]*571600[\s\S]*Right:[\s\S]*5716</)
    assert.match((await call(['explain', 'rule_parent_missing', '--locale', 'pt-BR'])).stdout, /O que fazer: /)
  })

  it('finds codes by the number of Wazuh, and prints each code that is named', async () => {
    const headings = async (...argv: string[]): Promise<string[]> => (await call(['explain', ...argv])).stdout.match(/^# .*$/gm) ?? []
    assert.ok((await headings('7617')).includes('# `rule_parent_missing`'))
    assert.deepEqual(await headings('xml_bom', 'XML_PROLOG'), ['# `xml_bom`', '# `xml_prolog`'])
  })
})
