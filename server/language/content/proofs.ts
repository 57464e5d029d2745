/** The search for what needs a proof, apart, because the playground loads it apart (`.build/playground.mjs`). */
export { stepsWithProofs } from '#engine'
