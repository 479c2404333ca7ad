@0 = internal constant [4 x i8] c"0_t\00"
@1 = internal constant [6 x i8] c"1_t0a\00"
@2 = internal constant [8 x i8] c"2_t0a0r\00"
@3 = internal constant [8 x i8] c"3_t0a1r\00"
@4 = internal constant [6 x i8] c"4_t1i\00"

define i64 @ENTRYPOINT__main() #0 {
block_0:
  %var_0 = alloca i1
  %var_3 = alloca i64
  %var_4 = alloca i64
  %var_5 = alloca i1
  %var_16 = alloca i1
  %var_20 = alloca i64
  call void @__quantum__rt__initialize(ptr null)
  store i1 false, ptr %var_0
  store i64 0, ptr %var_3
  store i64 0, ptr %var_4
  store i1 true, ptr %var_5
  br label %block_1
block_1:
  %var_25 = load i1, ptr %var_5
  br i1 %var_25, label %block_2, label %block_3
block_2:
  call void @H(ptr inttoptr (i64 0 to ptr))
  call void @CNOT(ptr inttoptr (i64 0 to ptr), ptr inttoptr (i64 1 to ptr))
  %var_29 = load i64, ptr %var_4
  %var_9 = add i64 %var_29, 1
  store i64 %var_9, ptr %var_4
  call void @__quantum__qis__m__body(ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 0 to ptr))
  %var_10 = call zeroext i1 @__quantum__rt__read_result(ptr inttoptr (i64 0 to ptr))
  store i1 %var_10, ptr %var_0
  %var_32 = load i1, ptr %var_0
  br i1 %var_32, label %block_4, label %block_5
block_3:
  call void @__quantum__qis__mresetz__body(ptr inttoptr (i64 0 to ptr), ptr inttoptr (i64 2 to ptr))
  call void @__quantum__qis__mresetz__body(ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 3 to ptr))
  %var_26 = load i64, ptr %var_3
  store i64 %var_26, ptr %var_20
  call void @__quantum__rt__tuple_record_output(i64 2, ptr @0)
  call void @__quantum__rt__array_record_output(i64 2, ptr @1)
  call void @__quantum__rt__result_record_output(ptr inttoptr (i64 2 to ptr), ptr @2)
  call void @__quantum__rt__result_record_output(ptr inttoptr (i64 3 to ptr), ptr @3)
  %var_28 = load i64, ptr %var_20
  call void @__quantum__rt__int_record_output(i64 %var_28, ptr @4)
  ret i64 0
block_4:
  %var_38 = load i64, ptr %var_3
  %var_39 = load i64, ptr %var_4
  %var_12 = add i64 %var_38, %var_39
  store i64 %var_12, ptr %var_3
  br label %block_5
block_5:
  call void @Reset(ptr inttoptr (i64 1 to ptr))
  call void @__quantum__qis__mresetz__body(ptr inttoptr (i64 0 to ptr), ptr inttoptr (i64 1 to ptr))
  %var_14 = call zeroext i1 @__quantum__rt__read_result(ptr inttoptr (i64 1 to ptr))
  %var_15 = icmp eq i1 %var_14, false
  store i1 true, ptr %var_16
  br i1 %var_15, label %block_6, label %block_7
block_6:
  %var_36 = load i1, ptr %var_16
  %var_18 = xor i1 %var_36, true
  store i1 %var_18, ptr %var_5
  br label %block_1
block_7:
  %var_34 = load i64, ptr %var_4
  %var_17 = icmp sge i64 %var_34, 20
  store i1 %var_17, ptr %var_16
  br label %block_6
}

declare void @__quantum__rt__initialize(ptr)

define internal void @H(ptr %var_6) {
block_8:
  call void @__quantum__qis__h__body(ptr %var_6)
  ret void
}

declare void @__quantum__qis__h__body(ptr)

define internal void @CNOT(ptr %var_7, ptr %var_8) {
block_9:
  call void @__quantum__qis__cx__body(ptr %var_7, ptr %var_8)
  ret void
}

declare void @__quantum__qis__cx__body(ptr, ptr)

declare void @__quantum__qis__m__body(ptr, ptr) #1

declare zeroext i1 @__quantum__rt__read_result(ptr) #2

define internal void @Reset(ptr %var_13) {
block_10:
  call void @__quantum__qis__reset__body(ptr %var_13)
  ret void
}

declare void @__quantum__qis__reset__body(ptr) #1

declare void @__quantum__qis__mresetz__body(ptr, ptr) #1

declare void @__quantum__rt__tuple_record_output(i64, ptr)

declare void @__quantum__rt__array_record_output(i64, ptr)

declare void @__quantum__rt__result_record_output(ptr, ptr)

declare void @__quantum__rt__int_record_output(i64, ptr)

attributes #0 = { "entry_point" "output_labeling_schema" "qir_profiles"="adaptive_profile" "required_num_qubits"="2" "required_num_results"="4" }
attributes #1 = { "irreversible" }
attributes #2 = { nofree nosync nounwind willreturn memory(argmem: read) }

; module flags

!llvm.module.flags = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9}

!0 = !{i32 1, !"qir_major_version", i32 2}
!1 = !{i32 7, !"qir_minor_version", i32 1}
!2 = !{i32 1, !"dynamic_qubit_management", i1 false}
!3 = !{i32 1, !"dynamic_result_management", i1 false}
!4 = !{i32 5, !"int_computations", !{!"i64"}}
!5 = !{i32 5, !"float_computations", !{!"double"}}
!6 = !{i32 7, !"backwards_branching", i2 3}
!7 = !{i32 1, !"arrays", i1 true}
!8 = !{i32 1, !"ir_functions", i1 true}
!9 = !{i32 1, !"writable_results", i1 true}
