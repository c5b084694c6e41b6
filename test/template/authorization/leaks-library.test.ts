import { sample } from '#test/conformance/leaks/cases.ts'
import { describeLibraryMatrix } from './leaks-library/library-matrix.ts'

// Runs a constant sample of the matrix on types that have every kind of relation, filter and count.

describeLibraryMatrix((type) => sample(20, type))
