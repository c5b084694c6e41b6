import type { Attribute, Word } from '#kernel'

/** What the words of a field demand of its value. */
export interface Rules {
  required?: 'always' | 'onCreate'
  nullable?: boolean
  in?: readonly (string | number)[]
  minLength?: number
  maxLength?: number
  min?: number
  max?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
}

const rule =
  <Args extends unknown[]>(toRules: (...args: Args) => Rules): Word<Attribute> =>
  ({ options }, ...args) => ({ options: { rules: { ...options.rules, ...toRules(...(args as Args)) } } })

export const words: Readonly<Record<string, Word<Attribute>>> = {
  required: rule(() => ({ required: 'always' })),
  requiredOnCreate: rule(() => ({ required: 'onCreate' })),
  nullable: rule(() => ({ nullable: true })),
  in: rule((values: readonly (string | number)[]) => ({ in: values })),
  minLength: rule((minLength: number) => ({ minLength })),
  maxLength: rule((maxLength: number) => ({ maxLength })),
  min: rule((min: number) => ({ min })),
  max: rule((max: number) => ({ max })),
  minItems: rule((minItems: number) => ({ minItems })),
  maxItems: rule((maxItems: number) => ({ maxItems })),
  uniqueItems: rule(() => ({ uniqueItems: true })),
}
