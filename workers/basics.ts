/**
 * What a process needs before it knows whether it will analyse anything: settings, texts, flags of V8. It is separate from `#workers`, so that the supervisor of
 * several processes loads neither the engine nor the validator.
 */
export { emailKeyOf, isEmailAddress, normalizeEmail } from './requests/email-address.js'
export { fillText } from './requests/issue.js'
export { tuneV8, tuneV8ForRequests } from './pool/tune-v8.js'
