import { sample } from './support/leaks/cases.ts'
import { describeLibraryMatrix } from './support/leaks/library-matrix.ts'

// A part of the matrix, the same in every run, on types that have every kind of relation, filter and count.

describeLibraryMatrix((type) => sample(20, type))
