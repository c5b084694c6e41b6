import { emptyLibrary } from '#test/template/support/library/index.ts'
import { persisterLaws } from './persister-laws.ts'
import { providerLaws } from './provider-laws.ts'

describe('Laws of providers and persisters', () => {
  after(emptyLibrary)

  for (const storage of ['store', 'memory'] as const) {
    providerLaws(storage)
    persisterLaws(storage)
  }
})
