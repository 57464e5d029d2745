/** The search for what needs a proof. It is loaded when somebody pauses for the first time. */
export { stepsWithProofs } from '#engine'
