import { sample } from './support/leaks/cases.ts'
import { describeLibraryMatrix } from './support/leaks/library-matrix.ts'

// Runs a constant sample of the matrix on types that have every kind of relation, filter and count.

describeLibraryMatrix((type) => sample(20, type))
