import { allRequests } from '#test/conformance/leaks/cases.ts'
import { describeLibraryMatrix } from '#test/template/authorization/leaks-library/library-matrix.ts'

// Every request to a row, on types that have every kind of relation, filter and count.

describeLibraryMatrix(() => allRequests)
