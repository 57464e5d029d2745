/** What happens to comments between items. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { composeFiles, mergeFiles, type RepositoryFile } from '#engine'

const A: RepositoryFile = {
  path: 'a.xml',
  kind: 'rules',
  content: `<!-- Header of A -->

<!-- The group -->
<group name="a,">

  <!-- One -->
  <rule id="1" level="3"/>

  <!-- Two -->
  <rule id="2" level="3"/>
  <!-- Below -->
</group>
<!-- End of A -->
`,
}
const B: RepositoryFile = { path: 'b.xml', kind: 'rules', content: '<!-- Header of B -->\n<group name="b,">\n  <rule id="3" level="3"/>\n</group>\n' }

/** The contents of both files after a merge of the edited content. */
function merge(edit: (text: string) => string, theirs: readonly RepositoryFile[] = [A, B]): string[] {
  const ours = composeFiles([A, B], null)
  const answer = mergeFiles({
    base: [A, B],
    ours: { ...ours, rules_xml: edit(ours.rules_xml) },
    theirs,
    newItems: { rules: 'local.xml', decoders: 'local.xml', listsFolder: null },
    lists: null,
    resolutions: [],
  })
  return answer.files.map(({ content }) => content)
}

const REPLACED: readonly (readonly [name: string, from: string, to: string, file: 'a' | 'b'])[] = [
  ['above a rule', '<!-- Two -->', '<!-- Second -->', 'a'],
  ['above the first rule', '<!-- One -->', '<!-- First,\n       on two lines -->', 'a'],
  ['of a group', '<!-- The group -->', '<!-- A group -->', 'a'],
  ['below the last rule', '<!-- Below -->', '<!-- After -->', 'a'],
  ['at the end of a file', '<!-- End of A -->', '<!-- No more of A -->', 'a'],
  ['at the beginning of a file', '<!-- Header of B -->', '<!-- The file B -->', 'b'],
]

describe('a comment', () => {
  for (const [name, from, to, file] of REPLACED) {
    test(`${name} follows ours`, () => {
      const edit = (text: string): string => text.replace(from, to)
      assert.deepEqual(
        merge(edit),
        [A, B].map(({ content }) => (content.includes(from) === (file === 'a') || file === 'b' ? edit(content) : content)),
      )
    })
  }

  test('that ours lacks stays', () => {
    assert.deepEqual(
      merge((text) => text.replaceAll(/<!--.*?-->/g, '')),
      [A.content, B.content],
    )
    assert.equal(merge((text) => text.replaceAll(/<!--.*?-->/g, '').replace('<rule id="2" level="3"/>', ''))[0], A.content.replace('  <rule id="2" level="3"/>\n', ''))
  })

  test('that ours adds is written above its rule', () => {
    assert.deepEqual(
      merge((text) => text.replace('  <rule id="2"', '  <!-- New -->\n  <rule id="2"')),
      [A.content.replace('  <rule id="2"', '  <!-- New -->\n  <rule id="2"'), B.content],
    )
  })

  test('that ours adds around a group is written there', () => {
    assert.deepEqual(
      merge((text) => text.replace('<group name="b,">', '<!-- New -->\n<group name="b,">')),
      [A.content, B.content.replace('<group', '<!-- New -->\n<group')],
    )
    assert.deepEqual(
      merge((text) => text.replace('  <rule id="3" level="3"/>\n', '  <rule id="3" level="3"/>\n  <!-- New -->\n')),
      [A.content, B.content.replace('/>\n', '/>\n  <!-- New -->\n')],
    )
  })

  test('with a removed rule replaces it', () => {
    assert.deepEqual(merge((text) => text.replace('<rule id="2" level="3"/>', '<!-- <rule id="2" level="3"/> -->'))[0].includes('<!-- <rule id="2" level="3"/> -->'), true)
  })

  test('above a new rule goes with it', () => {
    const [, , local] = merge((text) => `${text}<!-- New group -->\n<group name="n,">\n  <!-- New rule -->\n  <rule id="9" level="3"/>\n</group>\n`)
    assert.equal(local, '<group name="n,">\n  <!-- New group -->\n  <!-- New rule -->\n  <rule id="9" level="3"/>\n</group>\n')
  })

  test('that both sides changed stays twice', () => {
    const theirs = { ...A, content: A.content.replace('<!-- Two -->', '<!-- Their two -->') }
    assert.equal(merge((text) => text.replace('<!-- Two -->', '<!-- Our two -->'), [theirs, B])[0], theirs.content.replace('  <rule id="2"', '  <!-- Our two -->\n  <rule id="2"'))
  })
})
