/** The real forge that other tests use does what its helper says. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { forgeForTests } from '../../../../../support/git/forge.js'

const { skip, forge } = forgeForTests()

describe('forge of the tests', { skip }, () => {
  it('has what is pushed to it', async () => {
    const { api, ...rest } = await forge().then((started) => ({ api: started.api.bind(started), createRepository: started.createRepository.bind(started) }))
    const repository = await rest.createRepository()
    const [first] = await repository.push('main', { message: 'First', files: { 'a b/ação.xml': 'a', 'run.sh': { mode: 'executable', content: 'b' } } })
    const [second, third] = await repository.push('main', { files: { 'a b/ação.xml': null } }, { message: 'Third', files: { c: 'c' } })
    assert.equal(new Set([first, second, third]).size, 3)
    const { commit } = await api<{ commit: { id: string; message: string } }>('GET', `/repos/${repository.fullName}/branches/main`)
    assert.deepEqual([commit.id, commit.message], [third, 'Third'])
    assert.deepEqual(
      [...(await repository.modesOf(third))],
      [
        ['c', '100644'],
        ['run.sh', '100755'],
      ],
    )
  })
})
