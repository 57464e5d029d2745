/** What the playground loads when somebody asks for differences (`.build/playground.mjs`). */
export { behaviourRecord } from './behaviour-record.js'
export { behaviourSteps } from './compare-behaviour.js'
export { alertChanges, differencesOf, EFFECTS } from './differences.js'
