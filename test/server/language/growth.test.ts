/** The work of the language server grows with the text, and no faster. */
import { after, describe, it } from 'node:test'
import { StepCounter } from '../../support/steps.js'
import { SUBJECTS } from './growth-subjects.js'

describe('the work of the language server', () => {
  const counter = new StepCounter(new URL('./growth-subjects.js', import.meta.url), { folders: ['server/language'] })
  after(() => counter.close())

  for (const name of Object.keys(SUBJECTS)) it(`grows with the number of ${name}`, () => counter.assertGrowth(name, { size: 200 }))
})
