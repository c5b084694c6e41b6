import { acceptedNames, phrase, validationFailed } from '#kernel/errors'
import type { App, Validation } from '#kernel/plugin'
import { recordedTypes } from '#plugins/change-log/index.ts'

/** Refuses subscriptions to types without a change log: no event would ever be sent. */
export function recordedTypesOnly(app: App): Validation {
  const recorded = recordedTypes(app).map(({ name }) => name)
  return {
    of: 'input',
    check(_operation, { attributes }, _subject, faults) {
      const types = attributes?.types
      if (!Array.isArray(types)) return
      for (const [index, name] of types.entries()) {
        if (typeof name !== 'string' || recorded.includes(name)) continue
        const message = phrase("Changes of '{name}' are not recorded. Recorded: {recorded}", {
          name,
          recorded: acceptedNames(recorded, name),
        })
        faults.push(validationFailed({ message }, { source: { pointer: `/data/attributes/types/${index}` } }))
      }
    },
  }
}
