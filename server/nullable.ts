/** A value or null, in a schema. */
import Type, { type TSchema } from 'typebox'

/** @param description says what null means, in the document of the interface */
export const nullable = <T extends TSchema>(schema: T, description: string) => Type.Union([schema, Type.Null()], { description })
