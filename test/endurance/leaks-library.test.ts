import { allRequests } from '#test/support/leaks/cases.ts'
import { describeLibraryMatrix } from '#test/support/leaks/library-matrix.ts'

// Every request to a row, on types that have every kind of relation, filter and count.

describeLibraryMatrix(() => allRequests)
