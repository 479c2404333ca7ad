/** The id that callers know the classifier by. */
export const QNN_HYBRID_ID = 'qnn-hybrid';
