/** Schema of a value that may be null. */
import Type, { type TSchema } from 'typebox'

/** @param description what null means, for the OpenAPI document */
export const nullable = <T extends TSchema>(schema: T, description: string) => Type.Union([schema, Type.Null()], { description })
