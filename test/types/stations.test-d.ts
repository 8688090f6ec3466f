import { expectTypeOf } from 'vitest';
import type * as Theirs from './stations-openapi-typescript.js';
import type * as Ours from './stations-vouch.js';

// Either file serves: each type of one is assignable to that of the other.
expectTypeOf<Ours.paths>().toExtend<Theirs.paths>();
expectTypeOf<Theirs.paths>().toExtend<Ours.paths>();
expectTypeOf<Ours.operations>().toExtend<Theirs.operations>();
expectTypeOf<Theirs.operations>().toExtend<Ours.operations>();
expectTypeOf<Ours.components>().toExtend<Theirs.components>();
expectTypeOf<Theirs.components>().toExtend<Ours.components>();
expectTypeOf<keyof Ours.operations>().toEqualTypeOf<keyof Theirs.operations>();
expectTypeOf<keyof Ours.operations['listStations']['responses']>().toEqualTypeOf<200 | '4XX' | 'default'>();
