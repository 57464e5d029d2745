/** The work on content that was written to be slow is proportional to its size. It is counted in steps. */
import { after, describe, test } from 'node:test'
import { FAULTS_LIMIT } from '../../engine/xml/recover.js'
import { StepCounter } from '../support/steps.js'
import { SUBJECTS } from './hostile-subjects.js'

/** Sizes other than 300 rules, elements or files, and cases whose work may grow faster than their size. */
const GROWTH: Readonly<Record<string, { readonly size: number; readonly power?: number }>> = {
  // More than a limit allows (COMPARED_NAMES_LIMIT, FAULTS_LIMIT).
  'rules without a parent': { size: 1500 },
  'rules that are not well-formed, each below the one before': { size: FAULTS_LIMIT + 1 },
  // A rule may search for any part of a group's name, so every name is compared with every group.
  'groups of lost rules': { size: 100, power: 2 },
  'a merge of new rules, each the parent of an old one': { size: 100 },
}

describe('content that was written to be slow takes linear time', () => {
  const counter = new StepCounter(new URL('./hostile-subjects.js', import.meta.url))
  after(() => counter.close())
  for (const subject of Object.keys(SUBJECTS)) test(subject, () => counter.assertGrowth(subject, GROWTH[subject] ?? { size: 300 }))
})
