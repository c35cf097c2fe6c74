// Made by `cargo mcp manifest --format typescript`.

// shop 1.0.0

/** @maxLength 3 (in anyOf 1) */
export type FindInputValue = string | FindInputValue[];

/** Which orders. */
export type FindInputFilter = {
  and: FindInputFilter[];
} | {
  not: FindInputFilter;
} | {
  field: string;
  is: string | number;
};

/** Finds things. */
export type FindInput = {
  /**
   * How it is paid.
   * @description With notes and coins. (in oneOf 1)
   * @description By card. (in oneOf 2)
   */
  a: "cash" | {
    card: {
      /**
       * In cents.
       * @minimum 1
       * @maximum 5000
       */
      amount: number;
      /** @pattern ^\d{4}|x`$ */
      number?: string;
    };
  };
  /**
   * @description Something is asked. (in anyOf 1)
   * @description Something is broken. (in anyOf 2)
   */
  ticket?: {
    type: "question";
    text: string;
  } | {
    type: "bug";
    severity?: "low" | "</td>" | "a|b";
  } | null;
  attributes?: ({
    t: "size";
    c: number;
  } | {
    t: "color";
    c: string;
  })[];
  value?: FindInputValue;
  filter?: FindInputFilter;
};

/** Every tool by its name. */
export interface Tools {
  find: { input: FindInput; output: unknown };
}
