// Made by `cargo mcp manifest --format typescript`.

// retail 0.1.0

/**
 * Computes an expression of decimal numbers with + - * / and parentheses, exactly, and rounds the result to two
 * decimals. Use it for sums of prices instead of computing yourself.
 */
export type CalculateInput = {
  /**
   * The expression: numbers, + - * / and parentheses.
   * @minLength 1
   * @maxLength 500
   * @example "(19.99 + 5.01) * 3"
   */
  expression: string;
};

/**
 * Cancels a pending order and refunds what was paid: to a gift card at once, to other payment methods in 5 to 7
 * business days. It cannot be undone: name the order to the customer and ask for the reason first.
 */
export type CancelPendingOrderInput = {
  /**
   * The order: `#W` and seven digits.
   * @pattern ^#W\d{7}$
   * @example "#W0000001"
   */
  order_id: string;
  /**
   * Why the customer cancels; there are no other reasons.
   * `no longer needed`: The customer does not need it any more.
   * `ordered by mistake`: The customer did not mean to order it.
   * @example "no longer needed"
   */
  reason: "no longer needed" | "ordered by mistake";
};

/** What `cancel_pending_order` returns. */
export type CancelPendingOrderOutput = {
  /** The order's id. */
  order_id: string;
  /** Who ordered. */
  user_id: string;
  /**
   * How far the order is.
   * `pending`: Placed; can be modified and cancelled.
   * `processed`: Being packed.
   * `shipped`: On its way.
   * `delivered`: With the customer; can be returned or exchanged.
   * `cancelled`: Cancelled.
   * `return_requested`: Delivered, and items go back for a refund.
   * `exchange_requested`: Delivered, and items go back for others.
   */
  status: "pending" | "processed" | "shipped" | "delivered" | "cancelled" | "return_requested" | "exchange_requested";
  /** Where the order goes. */
  address: {
    /**
     * Street and house number.
     * @minLength 1
     * @maxLength 100
     */
    address1: string;
    /**
     * Apartment, suite or floor; left out or empty where there is none.
     * @maxLength 100
     * @default ""
     */
    address2: string;
    /**
     * City.
     * @minLength 1
     * @maxLength 100
     */
    city: string;
    /**
     * State as two capital letters, such as `TX`.
     * @pattern ^[A-Z]{2}$
     */
    state: string;
    /**
     * Country.
     * `USA`: The United States of America.
     * @default "USA"
     */
    country: "USA";
    /**
     * ZIP code of five digits.
     * @pattern ^\d{5}$
     */
    zip: string;
  };
  /**
   * What was ordered.
   * @description One item of an order, with the price at the time of ordering. (in items)
   */
  items: {
    /**
     * The variant.
     * @pattern ^\d{10}$
     */
    item_id: string;
    /** The product it is a variant of. */
    product_id: string;
    /** The product's name. */
    name: string;
    /** What tells this variant from the others. */
    options: { [name: string]: string };
    /**
     * What it cost.
     * @pattern ^-?\d+\.\d{2}$
     */
    price: string;
  }[];
  /** Whether the items were modified already, which can be done once. */
  items_modified: boolean;
  /**
   * The parcels, once the order has left the shop.
   * @description One parcel. (in items)
   */
  fulfillments: {
    /** The carrier's number. */
    tracking_id: string;
    /**
     * What is in the parcel.
     * @description One variant of a product, such as the black desk lamp with a clamp: ten digits. (in items)
     * @pattern ^\d{10}$ (in items)
     */
    item_ids: string[];
  }[];
  /**
   * All payments and refunds, oldest first.
   * @description Money that moved for an order. (in items)
   */
  payments: {
    /**
     * Which way the money goes.
     * `payment`: From the customer to the shop.
     * `refund`: From the shop to the customer.
     */
    kind: "payment" | "refund";
    /**
     * How much; never negative.
     * @pattern ^-?\d+\.\d{2}$
     */
    amount: string;
    /** The customer's payment method. */
    payment_method_id: string;
    /**
     * Whether the money has arrived.
     * `settled`: It has: payments, and refunds to a gift card.
     * `on_its_way`: It will in 5 to 7 business days: refunds to a credit card or a `PayPal` account.
     */
    state: "settled" | "on_its_way";
  }[];
  /**
   * Why the order was cancelled.
   * @description Why an order is cancelled. `no longer needed`: The customer does not need it any more. `ordered by mistake`: The customer did not mean to order it. (in anyOf 1)
   */
  cancel_reason?: ("no longer needed" | "ordered by mistake") | null;
  /**
   * What the customer sends back.
   * @description Items that a customer sends back for a refund. (in anyOf 1)
   */
  return_request?: {
    /**
     * What goes back.
     * @description One variant of a product, such as the black desk lamp with a clamp: ten digits. (in items)
     * @pattern ^\d{10}$ (in items)
     */
    item_ids: string[];
    /**
     * What the customer gets for it.
     * @pattern ^-?\d+\.\d{2}$
     */
    refund: string;
    /** Where the refund goes. */
    payment_method_id: string;
  } | null;
  /**
   * What the customer gets instead.
   * @description Items that a customer sends back for others. (in anyOf 1)
   */
  exchange?: {
    /**
     * What goes back and what comes for it.
     * @description One item and the one to have in its place. (in items)
     */
    replacements: {
      /**
       * The item of the order.
       * @pattern ^\d{10}$
       */
      item_id: string;
      /**
       * The item to have in its place: another available variant of the same product.
       * @pattern ^\d{10}$
       */
      new_item_id: string;
    }[];
    /**
     * What the new items cost more; negative where the customer gets money back.
     * @pattern ^-?\d+\.\d{2}$
     */
    price_difference: string;
  } | null;
};

/**
 * Exchanges items of a delivered order for other available variants of the same products. An order can be
 * returned or exchanged once: collect all items and ask the customer to confirm them first. If the new items cost
 * less, the difference goes back to where the order was paid from.
 */
export type ExchangeDeliveredOrderItemsInput = {
  /**
   * The order: `#W` and seven digits.
   * @pattern ^#W\d{7}$
   * @example "#W0000002"
   */
  order_id: string;
  /**
   * Each item to send back, once, with the item to have in its place. The other items stay.
   * @minItems 1
   * @maxItems 20
   * @description One item and the one to have in its place. (in items)
   */
  replacements: {
    /**
     * The item of the order.
     * @pattern ^\d{10}$
     */
    item_id: string;
    /**
     * The item to have in its place: another available variant of the same product.
     * @pattern ^\d{10}$
     */
    new_item_id: string;
  }[];
  /**
   * The customer's payment method that pays if the new items cost more; a gift card must have enough left.
   * @pattern ^(credit_card|gift_card|paypal)_\d{7}$
   * @example "paypal_0000002"
   */
  payment_method_id: string;
};

/** What `exchange_delivered_order_items` returns. */
export type ExchangeDeliveredOrderItemsOutput = {
  /** The order's id. */
  order_id: string;
  /** Who ordered. */
  user_id: string;
  /**
   * How far the order is.
   * `pending`: Placed; can be modified and cancelled.
   * `processed`: Being packed.
   * `shipped`: On its way.
   * `delivered`: With the customer; can be returned or exchanged.
   * `cancelled`: Cancelled.
   * `return_requested`: Delivered, and items go back for a refund.
   * `exchange_requested`: Delivered, and items go back for others.
   */
  status: "pending" | "processed" | "shipped" | "delivered" | "cancelled" | "return_requested" | "exchange_requested";
  /** Where the order goes. */
  address: {
    /**
     * Street and house number.
     * @minLength 1
     * @maxLength 100
     */
    address1: string;
    /**
     * Apartment, suite or floor; left out or empty where there is none.
     * @maxLength 100
     * @default ""
     */
    address2: string;
    /**
     * City.
     * @minLength 1
     * @maxLength 100
     */
    city: string;
    /**
     * State as two capital letters, such as `TX`.
     * @pattern ^[A-Z]{2}$
     */
    state: string;
    /**
     * Country.
     * `USA`: The United States of America.
     * @default "USA"
     */
    country: "USA";
    /**
     * ZIP code of five digits.
     * @pattern ^\d{5}$
     */
    zip: string;
  };
  /**
   * What was ordered.
   * @description One item of an order, with the price at the time of ordering. (in items)
   */
  items: {
    /**
     * The variant.
     * @pattern ^\d{10}$
     */
    item_id: string;
    /** The product it is a variant of. */
    product_id: string;
    /** The product's name. */
    name: string;
    /** What tells this variant from the others. */
    options: { [name: string]: string };
    /**
     * What it cost.
     * @pattern ^-?\d+\.\d{2}$
     */
    price: string;
  }[];
  /** Whether the items were modified already, which can be done once. */
  items_modified: boolean;
  /**
   * The parcels, once the order has left the shop.
   * @description One parcel. (in items)
   */
  fulfillments: {
    /** The carrier's number. */
    tracking_id: string;
    /**
     * What is in the parcel.
     * @description One variant of a product, such as the black desk lamp with a clamp: ten digits. (in items)
     * @pattern ^\d{10}$ (in items)
     */
    item_ids: string[];
  }[];
  /**
   * All payments and refunds, oldest first.
   * @description Money that moved for an order. (in items)
   */
  payments: {
    /**
     * Which way the money goes.
     * `payment`: From the customer to the shop.
     * `refund`: From the shop to the customer.
     */
    kind: "payment" | "refund";
    /**
     * How much; never negative.
     * @pattern ^-?\d+\.\d{2}$
     */
    amount: string;
    /** The customer's payment method. */
    payment_method_id: string;
    /**
     * Whether the money has arrived.
     * `settled`: It has: payments, and refunds to a gift card.
     * `on_its_way`: It will in 5 to 7 business days: refunds to a credit card or a `PayPal` account.
     */
    state: "settled" | "on_its_way";
  }[];
  /**
   * Why the order was cancelled.
   * @description Why an order is cancelled. `no longer needed`: The customer does not need it any more. `ordered by mistake`: The customer did not mean to order it. (in anyOf 1)
   */
  cancel_reason?: ("no longer needed" | "ordered by mistake") | null;
  /**
   * What the customer sends back.
   * @description Items that a customer sends back for a refund. (in anyOf 1)
   */
  return_request?: {
    /**
     * What goes back.
     * @description One variant of a product, such as the black desk lamp with a clamp: ten digits. (in items)
     * @pattern ^\d{10}$ (in items)
     */
    item_ids: string[];
    /**
     * What the customer gets for it.
     * @pattern ^-?\d+\.\d{2}$
     */
    refund: string;
    /** Where the refund goes. */
    payment_method_id: string;
  } | null;
  /**
   * What the customer gets instead.
   * @description Items that a customer sends back for others. (in anyOf 1)
   */
  exchange?: {
    /**
     * What goes back and what comes for it.
     * @description One item and the one to have in its place. (in items)
     */
    replacements: {
      /**
       * The item of the order.
       * @pattern ^\d{10}$
       */
      item_id: string;
      /**
       * The item to have in its place: another available variant of the same product.
       * @pattern ^\d{10}$
       */
      new_item_id: string;
    }[];
    /**
     * What the new items cost more; negative where the customer gets money back.
     * @pattern ^-?\d+\.\d{2}$
     */
    price_difference: string;
  } | null;
};

/**
 * Finds the id of a customer by e-mail address. Try this first; if the customer does not know the address, use
 * `find_user_id_by_name_zip`.
 */
export type FindUserIdByEmailInput = {
  /**
   * The customer's e-mail address; capital and small letters are the same.
   * @format email
   * @pattern ^[^@\s]+@[^@\s]+$
   * @maxLength 254
   * @example "milo.kim1@example.com"
   */
  email: string;
};

/** What `find_user_id_by_email` returns. */
export type FindUserIdByEmailOutput = {
  /** The customer's id, for the other tools. */
  user_id: string;
};

/** Finds the id of a customer by name and the ZIP code of the customer's own address. */
export type FindUserIdByNameZipInput = {
  /**
   * First name; capital and small letters are the same.
   * @minLength 1
   * @maxLength 100
   * @example "Milo"
   */
  first_name: string;
  /**
   * Last name; capital and small letters are the same.
   * @minLength 1
   * @maxLength 100
   * @example "Kim"
   */
  last_name: string;
  /**
   * ZIP code of five digits.
   * @pattern ^\d{5}$
   * @example "40216"
   */
  zip: string;
};

/** What `find_user_id_by_name_zip` returns. */
export type FindUserIdByNameZipOutput = {
  /** The customer's id, for the other tools. */
  user_id: string;
};

/** Shows an order: its status, address, items with prices, parcels, payments and refunds. */
export type GetOrderDetailsInput = {
  /**
   * The order: `#W` and seven digits.
   * @pattern ^#W\d{7}$
   * @example "#W0000001"
   */
  order_id: string;
};

/** What `get_order_details` returns. */
export type GetOrderDetailsOutput = {
  /** The order's id. */
  order_id: string;
  /** Who ordered. */
  user_id: string;
  /**
   * How far the order is.
   * `pending`: Placed; can be modified and cancelled.
   * `processed`: Being packed.
   * `shipped`: On its way.
   * `delivered`: With the customer; can be returned or exchanged.
   * `cancelled`: Cancelled.
   * `return_requested`: Delivered, and items go back for a refund.
   * `exchange_requested`: Delivered, and items go back for others.
   */
  status: "pending" | "processed" | "shipped" | "delivered" | "cancelled" | "return_requested" | "exchange_requested";
  /** Where the order goes. */
  address: {
    /**
     * Street and house number.
     * @minLength 1
     * @maxLength 100
     */
    address1: string;
    /**
     * Apartment, suite or floor; left out or empty where there is none.
     * @maxLength 100
     * @default ""
     */
    address2: string;
    /**
     * City.
     * @minLength 1
     * @maxLength 100
     */
    city: string;
    /**
     * State as two capital letters, such as `TX`.
     * @pattern ^[A-Z]{2}$
     */
    state: string;
    /**
     * Country.
     * `USA`: The United States of America.
     * @default "USA"
     */
    country: "USA";
    /**
     * ZIP code of five digits.
     * @pattern ^\d{5}$
     */
    zip: string;
  };
  /**
   * What was ordered.
   * @description One item of an order, with the price at the time of ordering. (in items)
   */
  items: {
    /**
     * The variant.
     * @pattern ^\d{10}$
     */
    item_id: string;
    /** The product it is a variant of. */
    product_id: string;
    /** The product's name. */
    name: string;
    /** What tells this variant from the others. */
    options: { [name: string]: string };
    /**
     * What it cost.
     * @pattern ^-?\d+\.\d{2}$
     */
    price: string;
  }[];
  /** Whether the items were modified already, which can be done once. */
  items_modified: boolean;
  /**
   * The parcels, once the order has left the shop.
   * @description One parcel. (in items)
   */
  fulfillments: {
    /** The carrier's number. */
    tracking_id: string;
    /**
     * What is in the parcel.
     * @description One variant of a product, such as the black desk lamp with a clamp: ten digits. (in items)
     * @pattern ^\d{10}$ (in items)
     */
    item_ids: string[];
  }[];
  /**
   * All payments and refunds, oldest first.
   * @description Money that moved for an order. (in items)
   */
  payments: {
    /**
     * Which way the money goes.
     * `payment`: From the customer to the shop.
     * `refund`: From the shop to the customer.
     */
    kind: "payment" | "refund";
    /**
     * How much; never negative.
     * @pattern ^-?\d+\.\d{2}$
     */
    amount: string;
    /** The customer's payment method. */
    payment_method_id: string;
    /**
     * Whether the money has arrived.
     * `settled`: It has: payments, and refunds to a gift card.
     * `on_its_way`: It will in 5 to 7 business days: refunds to a credit card or a `PayPal` account.
     */
    state: "settled" | "on_its_way";
  }[];
  /**
   * Why the order was cancelled.
   * @description Why an order is cancelled. `no longer needed`: The customer does not need it any more. `ordered by mistake`: The customer did not mean to order it. (in anyOf 1)
   */
  cancel_reason?: ("no longer needed" | "ordered by mistake") | null;
  /**
   * What the customer sends back.
   * @description Items that a customer sends back for a refund. (in anyOf 1)
   */
  return_request?: {
    /**
     * What goes back.
     * @description One variant of a product, such as the black desk lamp with a clamp: ten digits. (in items)
     * @pattern ^\d{10}$ (in items)
     */
    item_ids: string[];
    /**
     * What the customer gets for it.
     * @pattern ^-?\d+\.\d{2}$
     */
    refund: string;
    /** Where the refund goes. */
    payment_method_id: string;
  } | null;
  /**
   * What the customer gets instead.
   * @description Items that a customer sends back for others. (in anyOf 1)
   */
  exchange?: {
    /**
     * What goes back and what comes for it.
     * @description One item and the one to have in its place. (in items)
     */
    replacements: {
      /**
       * The item of the order.
       * @pattern ^\d{10}$
       */
      item_id: string;
      /**
       * The item to have in its place: another available variant of the same product.
       * @pattern ^\d{10}$
       */
      new_item_id: string;
    }[];
    /**
     * What the new items cost more; negative where the customer gets money back.
     * @pattern ^-?\d+\.\d{2}$
     */
    price_difference: string;
  } | null;
};

/** Shows all variants of a product: their options, prices, and whether they can be ordered now. */
export type GetProductDetailsInput = {
  /**
   * The product: ten digits. Not the id of an item, which is one variant of a product.
   * @pattern ^\d{10}$
   * @example "1000000001"
   */
  product_id: string;
};

/** What `get_product_details` returns. */
export type GetProductDetailsOutput = {
  /** The product's id. */
  product_id: string;
  /** The product's name. */
  name: string;
  /**
   * What can be ordered.
   * @description One variant of a product. (in items)
   */
  variants: {
    /**
     * The variant's id.
     * @pattern ^\d{10}$
     */
    item_id: string;
    /** What tells this variant from the others, such as colour and size. */
    options: { [name: string]: string };
    /** Whether it can be ordered now. */
    available: boolean;
    /**
     * What it costs now.
     * @pattern ^-?\d+\.\d{2}$
     */
    price: string;
  }[];
};

/**
 * Shows a customer: name, e-mail address, address, payment methods with gift card balances, and the ids of all
 * orders.
 */
export type GetUserDetailsInput = {
  /**
   * The customer: first name, last name and four digits, joined with `_`.
   * @pattern ^[a-z]+_[a-z]+_\d{4}$
   * @example "milo_kim_0001"
   */
  user_id: string;
};

/** What `get_user_details` returns. */
export type GetUserDetailsOutput = {
  /** The customer's id. */
  user_id: string;
  /** The customer's name. */
  name: {
    /** First name. */
    first: string;
    /** Last name. */
    last: string;
  };
  /** The customer's e-mail address. */
  email: string;
  /** Where the customer lives; new orders go there. */
  address: {
    /**
     * Street and house number.
     * @minLength 1
     * @maxLength 100
     */
    address1: string;
    /**
     * Apartment, suite or floor; left out or empty where there is none.
     * @maxLength 100
     * @default ""
     */
    address2: string;
    /**
     * City.
     * @minLength 1
     * @maxLength 100
     */
    city: string;
    /**
     * State as two capital letters, such as `TX`.
     * @pattern ^[A-Z]{2}$
     */
    state: string;
    /**
     * Country.
     * `USA`: The United States of America.
     * @default "USA"
     */
    country: "USA";
    /**
     * ZIP code of five digits.
     * @pattern ^\d{5}$
     */
    zip: string;
  };
  /**
   * How the customer can pay and be paid back.
   * @description How a customer can pay and be paid back. (in items)
   * @description A credit card. (in items oneOf 1)
   * @description A gift card of the shop. (in items oneOf 2)
   * @description A `PayPal` account. (in items oneOf 3)
   */
  payment_methods: ({
    type: "credit_card";
    /** The method's id. */
    payment_method_id: string;
    /**
     * Who issued the card.
     * `visa`: Visa.
     * `mastercard`: Mastercard.
     * `amex`: American Express.
     */
    brand: "visa" | "mastercard" | "amex";
    /** The last four digits of the card's number. */
    last_four: string;
  } | {
    type: "gift_card";
    /** The method's id. */
    payment_method_id: string;
    /**
     * What is left on the card; never negative.
     * @pattern ^-?\d+\.\d{2}$
     */
    balance: string;
  } | {
    type: "paypal";
    /** The method's id. */
    payment_method_id: string;
  })[];
  /**
   * The customer's orders, oldest first.
   * @description An order: `#W` and seven digits. (in items)
   */
  orders: string[];
};

/** Lists all kinds of products by name, with the ids that `get_product_details` takes. */
export type ListAllProductTypesInput = Record<string, never>;

/** What `list_all_product_types` returns. */
export type ListAllProductTypesOutput = {
  /**
   * The products, sorted by name.
   * @description A kind of product without its variants. (in items)
   */
  product_types: {
    /** The product's id. */
    product_id: string;
    /** The product's name. */
    name: string;
  }[];
};

/** Sends a pending order to another address. The customer's own address stays as it is. */
export type ModifyPendingOrderAddressInput = {
  /**
   * The order: `#W` and seven digits.
   * @pattern ^#W\d{7}$
   * @example "#W0000001"
   */
  order_id: string;
  /**
   * Street and house number.
   * @minLength 1
   * @maxLength 100
   */
  address1: string;
  /**
   * Apartment, suite or floor; left out or empty where there is none.
   * @maxLength 100
   * @default ""
   */
  address2?: string;
  /**
   * City.
   * @minLength 1
   * @maxLength 100
   */
  city: string;
  /**
   * State as two capital letters, such as `TX`.
   * @pattern ^[A-Z]{2}$
   */
  state: string;
  /**
   * Country.
   * `USA`: The United States of America.
   * @default "USA"
   */
  country?: "USA";
  /**
   * ZIP code of five digits.
   * @pattern ^\d{5}$
   */
  zip: string;
};

/** What `modify_pending_order_address` returns. */
export type ModifyPendingOrderAddressOutput = {
  /** The order's id. */
  order_id: string;
  /** Who ordered. */
  user_id: string;
  /**
   * How far the order is.
   * `pending`: Placed; can be modified and cancelled.
   * `processed`: Being packed.
   * `shipped`: On its way.
   * `delivered`: With the customer; can be returned or exchanged.
   * `cancelled`: Cancelled.
   * `return_requested`: Delivered, and items go back for a refund.
   * `exchange_requested`: Delivered, and items go back for others.
   */
  status: "pending" | "processed" | "shipped" | "delivered" | "cancelled" | "return_requested" | "exchange_requested";
  /** Where the order goes. */
  address: {
    /**
     * Street and house number.
     * @minLength 1
     * @maxLength 100
     */
    address1: string;
    /**
     * Apartment, suite or floor; left out or empty where there is none.
     * @maxLength 100
     * @default ""
     */
    address2: string;
    /**
     * City.
     * @minLength 1
     * @maxLength 100
     */
    city: string;
    /**
     * State as two capital letters, such as `TX`.
     * @pattern ^[A-Z]{2}$
     */
    state: string;
    /**
     * Country.
     * `USA`: The United States of America.
     * @default "USA"
     */
    country: "USA";
    /**
     * ZIP code of five digits.
     * @pattern ^\d{5}$
     */
    zip: string;
  };
  /**
   * What was ordered.
   * @description One item of an order, with the price at the time of ordering. (in items)
   */
  items: {
    /**
     * The variant.
     * @pattern ^\d{10}$
     */
    item_id: string;
    /** The product it is a variant of. */
    product_id: string;
    /** The product's name. */
    name: string;
    /** What tells this variant from the others. */
    options: { [name: string]: string };
    /**
     * What it cost.
     * @pattern ^-?\d+\.\d{2}$
     */
    price: string;
  }[];
  /** Whether the items were modified already, which can be done once. */
  items_modified: boolean;
  /**
   * The parcels, once the order has left the shop.
   * @description One parcel. (in items)
   */
  fulfillments: {
    /** The carrier's number. */
    tracking_id: string;
    /**
     * What is in the parcel.
     * @description One variant of a product, such as the black desk lamp with a clamp: ten digits. (in items)
     * @pattern ^\d{10}$ (in items)
     */
    item_ids: string[];
  }[];
  /**
   * All payments and refunds, oldest first.
   * @description Money that moved for an order. (in items)
   */
  payments: {
    /**
     * Which way the money goes.
     * `payment`: From the customer to the shop.
     * `refund`: From the shop to the customer.
     */
    kind: "payment" | "refund";
    /**
     * How much; never negative.
     * @pattern ^-?\d+\.\d{2}$
     */
    amount: string;
    /** The customer's payment method. */
    payment_method_id: string;
    /**
     * Whether the money has arrived.
     * `settled`: It has: payments, and refunds to a gift card.
     * `on_its_way`: It will in 5 to 7 business days: refunds to a credit card or a `PayPal` account.
     */
    state: "settled" | "on_its_way";
  }[];
  /**
   * Why the order was cancelled.
   * @description Why an order is cancelled. `no longer needed`: The customer does not need it any more. `ordered by mistake`: The customer did not mean to order it. (in anyOf 1)
   */
  cancel_reason?: ("no longer needed" | "ordered by mistake") | null;
  /**
   * What the customer sends back.
   * @description Items that a customer sends back for a refund. (in anyOf 1)
   */
  return_request?: {
    /**
     * What goes back.
     * @description One variant of a product, such as the black desk lamp with a clamp: ten digits. (in items)
     * @pattern ^\d{10}$ (in items)
     */
    item_ids: string[];
    /**
     * What the customer gets for it.
     * @pattern ^-?\d+\.\d{2}$
     */
    refund: string;
    /** Where the refund goes. */
    payment_method_id: string;
  } | null;
  /**
   * What the customer gets instead.
   * @description Items that a customer sends back for others. (in anyOf 1)
   */
  exchange?: {
    /**
     * What goes back and what comes for it.
     * @description One item and the one to have in its place. (in items)
     */
    replacements: {
      /**
       * The item of the order.
       * @pattern ^\d{10}$
       */
      item_id: string;
      /**
       * The item to have in its place: another available variant of the same product.
       * @pattern ^\d{10}$
       */
      new_item_id: string;
    }[];
    /**
     * What the new items cost more; negative where the customer gets money back.
     * @pattern ^-?\d+\.\d{2}$
     */
    price_difference: string;
  } | null;
};

/**
 * Replaces items of a pending order by other available variants of the same products. It can be done once for
 * an order: collect all changes and ask the customer to confirm them first. If the new items cost less, the
 * difference goes back to where the order was paid from.
 */
export type ModifyPendingOrderItemsInput = {
  /**
   * The order: `#W` and seven digits.
   * @pattern ^#W\d{7}$
   * @example "#W0000001"
   */
  order_id: string;
  /**
   * Each item to replace, once, with the item to have in its place. The other items stay.
   * @minItems 1
   * @maxItems 20
   * @description One item and the one to have in its place. (in items)
   */
  replacements: {
    /**
     * The item of the order.
     * @pattern ^\d{10}$
     */
    item_id: string;
    /**
     * The item to have in its place: another available variant of the same product.
     * @pattern ^\d{10}$
     */
    new_item_id: string;
  }[];
  /**
   * The customer's payment method that pays if the new items cost more; a gift card must have enough left.
   * @pattern ^(credit_card|gift_card|paypal)_\d{7}$
   * @example "paypal_0000001"
   */
  payment_method_id: string;
};

/** What `modify_pending_order_items` returns. */
export type ModifyPendingOrderItemsOutput = {
  /** The order's id. */
  order_id: string;
  /** Who ordered. */
  user_id: string;
  /**
   * How far the order is.
   * `pending`: Placed; can be modified and cancelled.
   * `processed`: Being packed.
   * `shipped`: On its way.
   * `delivered`: With the customer; can be returned or exchanged.
   * `cancelled`: Cancelled.
   * `return_requested`: Delivered, and items go back for a refund.
   * `exchange_requested`: Delivered, and items go back for others.
   */
  status: "pending" | "processed" | "shipped" | "delivered" | "cancelled" | "return_requested" | "exchange_requested";
  /** Where the order goes. */
  address: {
    /**
     * Street and house number.
     * @minLength 1
     * @maxLength 100
     */
    address1: string;
    /**
     * Apartment, suite or floor; left out or empty where there is none.
     * @maxLength 100
     * @default ""
     */
    address2: string;
    /**
     * City.
     * @minLength 1
     * @maxLength 100
     */
    city: string;
    /**
     * State as two capital letters, such as `TX`.
     * @pattern ^[A-Z]{2}$
     */
    state: string;
    /**
     * Country.
     * `USA`: The United States of America.
     * @default "USA"
     */
    country: "USA";
    /**
     * ZIP code of five digits.
     * @pattern ^\d{5}$
     */
    zip: string;
  };
  /**
   * What was ordered.
   * @description One item of an order, with the price at the time of ordering. (in items)
   */
  items: {
    /**
     * The variant.
     * @pattern ^\d{10}$
     */
    item_id: string;
    /** The product it is a variant of. */
    product_id: string;
    /** The product's name. */
    name: string;
    /** What tells this variant from the others. */
    options: { [name: string]: string };
    /**
     * What it cost.
     * @pattern ^-?\d+\.\d{2}$
     */
    price: string;
  }[];
  /** Whether the items were modified already, which can be done once. */
  items_modified: boolean;
  /**
   * The parcels, once the order has left the shop.
   * @description One parcel. (in items)
   */
  fulfillments: {
    /** The carrier's number. */
    tracking_id: string;
    /**
     * What is in the parcel.
     * @description One variant of a product, such as the black desk lamp with a clamp: ten digits. (in items)
     * @pattern ^\d{10}$ (in items)
     */
    item_ids: string[];
  }[];
  /**
   * All payments and refunds, oldest first.
   * @description Money that moved for an order. (in items)
   */
  payments: {
    /**
     * Which way the money goes.
     * `payment`: From the customer to the shop.
     * `refund`: From the shop to the customer.
     */
    kind: "payment" | "refund";
    /**
     * How much; never negative.
     * @pattern ^-?\d+\.\d{2}$
     */
    amount: string;
    /** The customer's payment method. */
    payment_method_id: string;
    /**
     * Whether the money has arrived.
     * `settled`: It has: payments, and refunds to a gift card.
     * `on_its_way`: It will in 5 to 7 business days: refunds to a credit card or a `PayPal` account.
     */
    state: "settled" | "on_its_way";
  }[];
  /**
   * Why the order was cancelled.
   * @description Why an order is cancelled. `no longer needed`: The customer does not need it any more. `ordered by mistake`: The customer did not mean to order it. (in anyOf 1)
   */
  cancel_reason?: ("no longer needed" | "ordered by mistake") | null;
  /**
   * What the customer sends back.
   * @description Items that a customer sends back for a refund. (in anyOf 1)
   */
  return_request?: {
    /**
     * What goes back.
     * @description One variant of a product, such as the black desk lamp with a clamp: ten digits. (in items)
     * @pattern ^\d{10}$ (in items)
     */
    item_ids: string[];
    /**
     * What the customer gets for it.
     * @pattern ^-?\d+\.\d{2}$
     */
    refund: string;
    /** Where the refund goes. */
    payment_method_id: string;
  } | null;
  /**
   * What the customer gets instead.
   * @description Items that a customer sends back for others. (in anyOf 1)
   */
  exchange?: {
    /**
     * What goes back and what comes for it.
     * @description One item and the one to have in its place. (in items)
     */
    replacements: {
      /**
       * The item of the order.
       * @pattern ^\d{10}$
       */
      item_id: string;
      /**
       * The item to have in its place: another available variant of the same product.
       * @pattern ^\d{10}$
       */
      new_item_id: string;
    }[];
    /**
     * What the new items cost more; negative where the customer gets money back.
     * @pattern ^-?\d+\.\d{2}$
     */
    price_difference: string;
  } | null;
};

/**
 * Pays a pending order with another payment method of the same customer. What was paid goes back to where it
 * came from: to a gift card at once, otherwise in 5 to 7 business days.
 */
export type ModifyPendingOrderPaymentInput = {
  /**
   * The order: `#W` and seven digits.
   * @pattern ^#W\d{7}$
   * @example "#W0000001"
   */
  order_id: string;
  /**
   * The payment method to use instead; a gift card must have enough left for the whole order.
   * @pattern ^(credit_card|gift_card|paypal)_\d{7}$
   * @example "credit_card_0000001"
   */
  payment_method_id: string;
};

/** What `modify_pending_order_payment` returns. */
export type ModifyPendingOrderPaymentOutput = {
  /** The order's id. */
  order_id: string;
  /** Who ordered. */
  user_id: string;
  /**
   * How far the order is.
   * `pending`: Placed; can be modified and cancelled.
   * `processed`: Being packed.
   * `shipped`: On its way.
   * `delivered`: With the customer; can be returned or exchanged.
   * `cancelled`: Cancelled.
   * `return_requested`: Delivered, and items go back for a refund.
   * `exchange_requested`: Delivered, and items go back for others.
   */
  status: "pending" | "processed" | "shipped" | "delivered" | "cancelled" | "return_requested" | "exchange_requested";
  /** Where the order goes. */
  address: {
    /**
     * Street and house number.
     * @minLength 1
     * @maxLength 100
     */
    address1: string;
    /**
     * Apartment, suite or floor; left out or empty where there is none.
     * @maxLength 100
     * @default ""
     */
    address2: string;
    /**
     * City.
     * @minLength 1
     * @maxLength 100
     */
    city: string;
    /**
     * State as two capital letters, such as `TX`.
     * @pattern ^[A-Z]{2}$
     */
    state: string;
    /**
     * Country.
     * `USA`: The United States of America.
     * @default "USA"
     */
    country: "USA";
    /**
     * ZIP code of five digits.
     * @pattern ^\d{5}$
     */
    zip: string;
  };
  /**
   * What was ordered.
   * @description One item of an order, with the price at the time of ordering. (in items)
   */
  items: {
    /**
     * The variant.
     * @pattern ^\d{10}$
     */
    item_id: string;
    /** The product it is a variant of. */
    product_id: string;
    /** The product's name. */
    name: string;
    /** What tells this variant from the others. */
    options: { [name: string]: string };
    /**
     * What it cost.
     * @pattern ^-?\d+\.\d{2}$
     */
    price: string;
  }[];
  /** Whether the items were modified already, which can be done once. */
  items_modified: boolean;
  /**
   * The parcels, once the order has left the shop.
   * @description One parcel. (in items)
   */
  fulfillments: {
    /** The carrier's number. */
    tracking_id: string;
    /**
     * What is in the parcel.
     * @description One variant of a product, such as the black desk lamp with a clamp: ten digits. (in items)
     * @pattern ^\d{10}$ (in items)
     */
    item_ids: string[];
  }[];
  /**
   * All payments and refunds, oldest first.
   * @description Money that moved for an order. (in items)
   */
  payments: {
    /**
     * Which way the money goes.
     * `payment`: From the customer to the shop.
     * `refund`: From the shop to the customer.
     */
    kind: "payment" | "refund";
    /**
     * How much; never negative.
     * @pattern ^-?\d+\.\d{2}$
     */
    amount: string;
    /** The customer's payment method. */
    payment_method_id: string;
    /**
     * Whether the money has arrived.
     * `settled`: It has: payments, and refunds to a gift card.
     * `on_its_way`: It will in 5 to 7 business days: refunds to a credit card or a `PayPal` account.
     */
    state: "settled" | "on_its_way";
  }[];
  /**
   * Why the order was cancelled.
   * @description Why an order is cancelled. `no longer needed`: The customer does not need it any more. `ordered by mistake`: The customer did not mean to order it. (in anyOf 1)
   */
  cancel_reason?: ("no longer needed" | "ordered by mistake") | null;
  /**
   * What the customer sends back.
   * @description Items that a customer sends back for a refund. (in anyOf 1)
   */
  return_request?: {
    /**
     * What goes back.
     * @description One variant of a product, such as the black desk lamp with a clamp: ten digits. (in items)
     * @pattern ^\d{10}$ (in items)
     */
    item_ids: string[];
    /**
     * What the customer gets for it.
     * @pattern ^-?\d+\.\d{2}$
     */
    refund: string;
    /** Where the refund goes. */
    payment_method_id: string;
  } | null;
  /**
   * What the customer gets instead.
   * @description Items that a customer sends back for others. (in anyOf 1)
   */
  exchange?: {
    /**
     * What goes back and what comes for it.
     * @description One item and the one to have in its place. (in items)
     */
    replacements: {
      /**
       * The item of the order.
       * @pattern ^\d{10}$
       */
      item_id: string;
      /**
       * The item to have in its place: another available variant of the same product.
       * @pattern ^\d{10}$
       */
      new_item_id: string;
    }[];
    /**
     * What the new items cost more; negative where the customer gets money back.
     * @pattern ^-?\d+\.\d{2}$
     */
    price_difference: string;
  } | null;
};

/**
 * Gives a customer a new address. Orders that were placed already keep theirs; use `modify_pending_order_address`
 * for them.
 */
export type ModifyUserAddressInput = {
  /**
   * The customer: first name, last name and four digits, joined with `_`.
   * @pattern ^[a-z]+_[a-z]+_\d{4}$
   * @example "milo_kim_0001"
   */
  user_id: string;
  /**
   * Street and house number.
   * @minLength 1
   * @maxLength 100
   */
  address1: string;
  /**
   * Apartment, suite or floor; left out or empty where there is none.
   * @maxLength 100
   * @default ""
   */
  address2?: string;
  /**
   * City.
   * @minLength 1
   * @maxLength 100
   */
  city: string;
  /**
   * State as two capital letters, such as `TX`.
   * @pattern ^[A-Z]{2}$
   */
  state: string;
  /**
   * Country.
   * `USA`: The United States of America.
   * @default "USA"
   */
  country?: "USA";
  /**
   * ZIP code of five digits.
   * @pattern ^\d{5}$
   */
  zip: string;
};

/** What `modify_user_address` returns. */
export type ModifyUserAddressOutput = {
  /** The customer's id. */
  user_id: string;
  /** The customer's name. */
  name: {
    /** First name. */
    first: string;
    /** Last name. */
    last: string;
  };
  /** The customer's e-mail address. */
  email: string;
  /** Where the customer lives; new orders go there. */
  address: {
    /**
     * Street and house number.
     * @minLength 1
     * @maxLength 100
     */
    address1: string;
    /**
     * Apartment, suite or floor; left out or empty where there is none.
     * @maxLength 100
     * @default ""
     */
    address2: string;
    /**
     * City.
     * @minLength 1
     * @maxLength 100
     */
    city: string;
    /**
     * State as two capital letters, such as `TX`.
     * @pattern ^[A-Z]{2}$
     */
    state: string;
    /**
     * Country.
     * `USA`: The United States of America.
     * @default "USA"
     */
    country: "USA";
    /**
     * ZIP code of five digits.
     * @pattern ^\d{5}$
     */
    zip: string;
  };
  /**
   * How the customer can pay and be paid back.
   * @description How a customer can pay and be paid back. (in items)
   * @description A credit card. (in items oneOf 1)
   * @description A gift card of the shop. (in items oneOf 2)
   * @description A `PayPal` account. (in items oneOf 3)
   */
  payment_methods: ({
    type: "credit_card";
    /** The method's id. */
    payment_method_id: string;
    /**
     * Who issued the card.
     * `visa`: Visa.
     * `mastercard`: Mastercard.
     * `amex`: American Express.
     */
    brand: "visa" | "mastercard" | "amex";
    /** The last four digits of the card's number. */
    last_four: string;
  } | {
    type: "gift_card";
    /** The method's id. */
    payment_method_id: string;
    /**
     * What is left on the card; never negative.
     * @pattern ^-?\d+\.\d{2}$
     */
    balance: string;
  } | {
    type: "paypal";
    /** The method's id. */
    payment_method_id: string;
  })[];
  /**
   * The customer's orders, oldest first.
   * @description An order: `#W` and seven digits. (in items)
   */
  orders: string[];
};

/**
 * Takes back items of a delivered order for a refund. An order can be returned or exchanged once: collect all
 * items and ask the customer to confirm them first.
 */
export type ReturnDeliveredOrderItemsInput = {
  /**
   * The order: `#W` and seven digits.
   * @pattern ^#W\d{7}$
   * @example "#W0000002"
   */
  order_id: string;
  /**
   * The items of the order that go back, each once.
   * @minItems 1
   * @maxItems 20
   * @example ["2000000090"]
   * @description One variant of a product, such as the black desk lamp with a clamp: ten digits. (in items)
   * @pattern ^\d{10}$ (in items)
   */
  item_ids: string[];
  /**
   * Where the refund goes: the payment method that paid the order, or a gift card of the customer.
   * @pattern ^(credit_card|gift_card|paypal)_\d{7}$
   * @example "paypal_0000002"
   */
  payment_method_id: string;
};

/** What `return_delivered_order_items` returns. */
export type ReturnDeliveredOrderItemsOutput = {
  /** The order's id. */
  order_id: string;
  /** Who ordered. */
  user_id: string;
  /**
   * How far the order is.
   * `pending`: Placed; can be modified and cancelled.
   * `processed`: Being packed.
   * `shipped`: On its way.
   * `delivered`: With the customer; can be returned or exchanged.
   * `cancelled`: Cancelled.
   * `return_requested`: Delivered, and items go back for a refund.
   * `exchange_requested`: Delivered, and items go back for others.
   */
  status: "pending" | "processed" | "shipped" | "delivered" | "cancelled" | "return_requested" | "exchange_requested";
  /** Where the order goes. */
  address: {
    /**
     * Street and house number.
     * @minLength 1
     * @maxLength 100
     */
    address1: string;
    /**
     * Apartment, suite or floor; left out or empty where there is none.
     * @maxLength 100
     * @default ""
     */
    address2: string;
    /**
     * City.
     * @minLength 1
     * @maxLength 100
     */
    city: string;
    /**
     * State as two capital letters, such as `TX`.
     * @pattern ^[A-Z]{2}$
     */
    state: string;
    /**
     * Country.
     * `USA`: The United States of America.
     * @default "USA"
     */
    country: "USA";
    /**
     * ZIP code of five digits.
     * @pattern ^\d{5}$
     */
    zip: string;
  };
  /**
   * What was ordered.
   * @description One item of an order, with the price at the time of ordering. (in items)
   */
  items: {
    /**
     * The variant.
     * @pattern ^\d{10}$
     */
    item_id: string;
    /** The product it is a variant of. */
    product_id: string;
    /** The product's name. */
    name: string;
    /** What tells this variant from the others. */
    options: { [name: string]: string };
    /**
     * What it cost.
     * @pattern ^-?\d+\.\d{2}$
     */
    price: string;
  }[];
  /** Whether the items were modified already, which can be done once. */
  items_modified: boolean;
  /**
   * The parcels, once the order has left the shop.
   * @description One parcel. (in items)
   */
  fulfillments: {
    /** The carrier's number. */
    tracking_id: string;
    /**
     * What is in the parcel.
     * @description One variant of a product, such as the black desk lamp with a clamp: ten digits. (in items)
     * @pattern ^\d{10}$ (in items)
     */
    item_ids: string[];
  }[];
  /**
   * All payments and refunds, oldest first.
   * @description Money that moved for an order. (in items)
   */
  payments: {
    /**
     * Which way the money goes.
     * `payment`: From the customer to the shop.
     * `refund`: From the shop to the customer.
     */
    kind: "payment" | "refund";
    /**
     * How much; never negative.
     * @pattern ^-?\d+\.\d{2}$
     */
    amount: string;
    /** The customer's payment method. */
    payment_method_id: string;
    /**
     * Whether the money has arrived.
     * `settled`: It has: payments, and refunds to a gift card.
     * `on_its_way`: It will in 5 to 7 business days: refunds to a credit card or a `PayPal` account.
     */
    state: "settled" | "on_its_way";
  }[];
  /**
   * Why the order was cancelled.
   * @description Why an order is cancelled. `no longer needed`: The customer does not need it any more. `ordered by mistake`: The customer did not mean to order it. (in anyOf 1)
   */
  cancel_reason?: ("no longer needed" | "ordered by mistake") | null;
  /**
   * What the customer sends back.
   * @description Items that a customer sends back for a refund. (in anyOf 1)
   */
  return_request?: {
    /**
     * What goes back.
     * @description One variant of a product, such as the black desk lamp with a clamp: ten digits. (in items)
     * @pattern ^\d{10}$ (in items)
     */
    item_ids: string[];
    /**
     * What the customer gets for it.
     * @pattern ^-?\d+\.\d{2}$
     */
    refund: string;
    /** Where the refund goes. */
    payment_method_id: string;
  } | null;
  /**
   * What the customer gets instead.
   * @description Items that a customer sends back for others. (in anyOf 1)
   */
  exchange?: {
    /**
     * What goes back and what comes for it.
     * @description One item and the one to have in its place. (in items)
     */
    replacements: {
      /**
       * The item of the order.
       * @pattern ^\d{10}$
       */
      item_id: string;
      /**
       * The item to have in its place: another available variant of the same product.
       * @pattern ^\d{10}$
       */
      new_item_id: string;
    }[];
    /**
     * What the new items cost more; negative where the customer gets money back.
     * @pattern ^-?\d+\.\d{2}$
     */
    price_difference: string;
  } | null;
};

/**
 * Hands the conversation over to a person. Use it if the customer asks for a person, or if none of the other
 * tools can do what the customer needs; then tell the customer and stop.
 */
export type TransferToHumanAgentsInput = {
  /**
   * What the customer needs and what was done so far, in a few sentences.
   * @minLength 1
   * @maxLength 2000
   * @example "The customer wants to return an order after 90 days."
   */
  summary: string;
};

/** Every tool by its name. */
export interface Tools {
  calculate: { input: CalculateInput; output: unknown };
  cancel_pending_order: { input: CancelPendingOrderInput; output: CancelPendingOrderOutput };
  exchange_delivered_order_items: { input: ExchangeDeliveredOrderItemsInput; output: ExchangeDeliveredOrderItemsOutput };
  find_user_id_by_email: { input: FindUserIdByEmailInput; output: FindUserIdByEmailOutput };
  find_user_id_by_name_zip: { input: FindUserIdByNameZipInput; output: FindUserIdByNameZipOutput };
  get_order_details: { input: GetOrderDetailsInput; output: GetOrderDetailsOutput };
  get_product_details: { input: GetProductDetailsInput; output: GetProductDetailsOutput };
  get_user_details: { input: GetUserDetailsInput; output: GetUserDetailsOutput };
  list_all_product_types: { input: ListAllProductTypesInput; output: ListAllProductTypesOutput };
  modify_pending_order_address: { input: ModifyPendingOrderAddressInput; output: ModifyPendingOrderAddressOutput };
  modify_pending_order_items: { input: ModifyPendingOrderItemsInput; output: ModifyPendingOrderItemsOutput };
  modify_pending_order_payment: { input: ModifyPendingOrderPaymentInput; output: ModifyPendingOrderPaymentOutput };
  modify_user_address: { input: ModifyUserAddressInput; output: ModifyUserAddressOutput };
  return_delivered_order_items: { input: ReturnDeliveredOrderItemsInput; output: ReturnDeliveredOrderItemsOutput };
  transfer_to_human_agents: { input: TransferToHumanAgentsInput; output: unknown };
}
