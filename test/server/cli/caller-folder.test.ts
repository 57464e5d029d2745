import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { after, describe, it } from 'node:test'
import { callerFolder } from '../../../server/cli/caller-folder.js'
import { Workplace } from './call.js'

describe('the folder of a call through npm', () => {
  const workplace = new Workplace()
  after(() => workplace.remove())
  const packageJson = workplace.write('package/package.json', '{}')
  const home = dirname(packageJson)
  const other = workplace.write('other/package.json', '{}')

  it('is the one that npm reports if it ran a script of this package', () => {
    assert.equal(callerFolder({ INIT_CWD: '/somewhere', npm_package_json: packageJson }, home, packageJson), '/somewhere')
  })

  it('is the working directory otherwise', () => {
    for (const [env, folder] of [
      [{}, home],
      [{ INIT_CWD: '/somewhere' }, home],
      [{ INIT_CWD: '', npm_package_json: packageJson }, home],
      // A script of another package, which may have changed the folder before the call.
      [{ INIT_CWD: '/somewhere', npm_package_json: other }, dirname(other)],
      [{ INIT_CWD: '/somewhere', npm_package_json: other }, home],
      [{ INIT_CWD: '/somewhere', npm_package_json: `${workplace.folder}/none.json` }, home],
      // A program that a script of this package runs in another folder.
      [{ INIT_CWD: '/somewhere', npm_package_json: packageJson }, workplace.folder],
    ] as const)
      assert.equal(callerFolder(env, folder, packageJson), null, JSON.stringify([env, folder]))
  })
})
